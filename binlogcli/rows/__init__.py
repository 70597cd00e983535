"""Rows: from the bytes of row images to values. `column` and `plan` are the core, `walk` the loop over them."""
