"""Events read a second time: to name their bytes, and for output in a different order."""
