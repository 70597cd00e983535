# The C form of client_scan.py for the compiled modules: `cimport client_scan` beside `import client_scan`.
from libc.string cimport memchr

cdef extern from * nogil:
    """
    /* the bytes that mean something to a client outside of quotes: quotes, comments, commands; and the end of the text */
    static const unsigned char statement_marks[256] = {
        [0] = 1, [34] = 1, [35] = 1, [39] = 1, [45] = 1, [47] = 1, [92] = 1, [96] = 1, /* NUL " # ' - / \\ ` */
    };
    """
    const unsigned char statement_marks[256]

cdef inline const unsigned char *after_quotes(
    const unsigned char *at, const unsigned char *end, unsigned char quote, bint escapes
) noexcept nogil:
    # returns the byte after the quote that ends what begins at `at`; NULL where it has no end
    cdef const unsigned char *found
    cdef const unsigned char *escape
    while at < end:
        found = <const unsigned char *>memchr(at, quote, <size_t>(end - at))
        if found == NULL:
            return NULL
        escape = NULL
        if escapes:
            escape = <const unsigned char *>memchr(at, 92, <size_t>(found - at))
        if escape == NULL:
            return found + 1
        at = escape + (1 if quote == 96 and escape + 1 == found else 2)
    return NULL

cdef inline const unsigned char *after_comment(const unsigned char *at, const unsigned char *end) noexcept nogil:
    # returns the byte after the comment that begins at `at`; NULL where it has no end, or where more begin in it
    if end - at < 4 or at[2] == 33 or at[2] == 43 or at[2] == 77:  # /*! /*+ /*M
        return NULL
    at += 2
    while at + 1 < end:
        if at[0] == 42 and at[1] == 47:
            return at + 2
        if at[0] == 47 and at[1] == 42:
            return NULL
        at += 1
    return NULL

cdef inline bint reads_plainly(bytes text, bint escapes) except -1:
    cdef const unsigned char *at = text
    cdef const unsigned char *end = at + len(text)
    cdef unsigned char byte
    while True:
        while statement_marks[at[0]] == 0:  # a zero byte follows the text
            at += 1
        if at >= end:
            return True
        byte = at[0]
        if byte == 39 or byte == 34 or byte == 96:
            at = after_quotes(at + 1, end, byte, escapes)
            if at == NULL:
                return False
        elif byte == 47 and at[1] == 42:
            at = after_comment(at, end)
            if at == NULL:
                return False
        elif byte == 0 or (byte == 45 and at[1] != 45):
            at += 1
        else:
            return False
