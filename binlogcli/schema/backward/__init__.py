"""Walks definitions backward: from those that hold after a list of statements to those that held before it.

`walk` goes over the statements, `statement` undoes one of them, `alter` an ALTER TABLE, and `layout` keeps the columns
whose places are not known.
"""
