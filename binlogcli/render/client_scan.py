"""The quick look at a statement, which settles for most that clients read it as servers do.

The compiled modules take the C form in the `.pxd`.
"""

from __future__ import annotations

import re

# ++ and *+: what was read is not given back, and takes no memory for that. Before Python 3.11.5 a possessive group that
# looks ahead inside matches wrongly unless it is atomic, (?>...).
_PLAIN_COMMENT = rb"/\*(?![!+M])(?>(?!\*/|/\*).)*+\*/"
_CODE = rb"[^'\"`\\/#-]++|-(?!-)|" + _PLAIN_COMMENT
_ESCAPED = rb"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\"|`(?>[^`\\]++|\\[^`]|\\(?=`))*+`"
_BARE = rb"'[^']*'|\"[^\"]*\"|`[^`]*`"
_BY_ESCAPES = (rb"(?>" + _CODE + rb"|" + _BARE + rb")*+", rb"(?>" + _CODE + rb"|" + _ESCAPED + rb")*+")


def reads_plainly(text: bytes, escapes: bool) -> bool:
    """Whether all quotes and comments of a statement end, and the rest has neither backslashes nor other comments.

    `escapes`: a backslash escapes the next byte within quotes.
    """
    return re.fullmatch(_BY_ESCAPES[escapes], text, re.DOTALL) is not None
