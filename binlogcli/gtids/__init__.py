"""GTIDs and sets of them, of both families: read from text and from bytes, merged, written."""
