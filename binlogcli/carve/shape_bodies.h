/* What the type of an event says of its body, as in body_shapes.py. */
#ifndef BINLOGCLI_SHAPE_BODIES_H
#define BINLOGCLI_SHAPE_BODIES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SHAPE_PLAIN = 1, SHAPE_SUMMED = 2, SHAPE_BOTH = 3 };

#define SHAPE_HEADER 19
#define SHAPE_LARGEST (1u << 30)
#define SHAPE_UNKNOWN_FLAGS 0x3C00
#define SHAPE_NAME 512u
#define SHAPE_SHORT (1u << 16)
#define SHAPE_LONG (1u << 20)
#define SHAPE_BLOCK (1u << 24)
#define SHAPE_TEXT (1u << 26)

typedef struct {
    const unsigned char *body;
    uint64_t at_hand;  /* bytes of the body that can be looked at */
    uint64_t size;     /* bytes of the body, with a checksum if there is one */
} shape_event;

static inline uint32_t shape_2(const unsigned char *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static inline uint32_t shape_4(const unsigned char *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline uint64_t shape_8(const unsigned char *p) { uint64_t v; memcpy(&v, p, 8); return v; }

static inline int shape_exactly(const shape_event *e, uint64_t size)
{
    return e->size == size ? SHAPE_PLAIN : e->size == size + 4 ? SHAPE_SUMMED : 0;
}

static inline int shape_at_least(const shape_event *e, uint64_t size)
{
    return e->size >= size + 4 ? SHAPE_BOTH : e->size >= size ? SHAPE_PLAIN : 0;
}

static inline int shape_between(const shape_event *e, uint64_t least, uint64_t most)
{
    return e->size > most + 4 ? 0 : shape_at_least(e, least);
}

static inline int shape_is_text(unsigned char byte)
{
    return (byte >= 0x20 && byte < 0x7F) || (byte >= 9 && byte <= 13);
}

/* Whether the first `count` bytes from `at` on are ASCII text, as far as there are so many. */
static int shape_text(const shape_event *e, uint64_t at, uint64_t count)
{
    for (uint64_t end = at + count; at < end && at + 4 < e->size && at < e->at_hand; at++)
        if (!shape_is_text(e->body[at]))
            return 0;
    return 1;
}

/* Whether [at, at + count) holds no control character, and a zero byte follows. */
static int shape_name(const shape_event *e, uint64_t at, uint64_t count)
{
    if (at + count >= e->at_hand || e->body[at + count] != 0)
        return 0;
    for (uint64_t place = at; place < at + count; place++)
        if (e->body[place] < 0x20)
            return 0;
    return 1;
}

static int shape_query(const shape_event *e, uint64_t head, int compressed)
{
    const unsigned char *p = e->body;
    if (e->at_hand <= head)
        return 0;
    uint64_t name = p[8], status = shape_2(p + 11), at = head + status;
    if (shape_2(p + 9) > 20480 || status > 20480)
        return 0;
    if (head > 13 && p[25] > 2)
        return 0;
    if (status > 0 && p[head] > 31 && (p[head] < 128 || p[head] > 140))
        return 0;
    if (!shape_name(e, at, name))
        return 0;
    at += name + 1;
    if (compressed)  /* a byte with the number of those of the length */
        return at < e->at_hand && p[at] > 0x80 && p[at] <= 0x84 ? shape_at_least(e, at + 1) : 0;
    if (e->size > SHAPE_LONG && (p[7] != 0 || !shape_text(e, at, 4)))
        return 0;
    return shape_at_least(e, at);
}

/* Of servers before 5.0: without status variables. */
static int shape_old_query(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 17 || e->size > SHAPE_BLOCK)
        return 0;
    uint64_t name = p[8];
    if (shape_2(p + 9) > 20480 || p[7] != 0 || !shape_name(e, 11, name) || !shape_text(e, 12 + name, 4))
        return 0;
    return e->size > 12 + name ? SHAPE_PLAIN : 0;
}

static int shape_load(const shape_event *e, uint64_t head)
{
    const unsigned char *p = e->body;
    if (e->at_hand < head || e->size > SHAPE_LONG)
        return 0;
    uint64_t fields = shape_4(p + 14);
    return p[12] > 0 && fields <= 4096 && e->size > head + p[12] + p[13] + 2 * fields ? SHAPE_PLAIN : 0;
}

static int shape_user_var(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 6)
        return 0;
    uint64_t at = 4 + (uint64_t)shape_4(p);
    if (at == 4 || at > 4 + 1024 || at >= e->at_hand)
        return 0;
    if (p[at] == 1)
        return shape_exactly(e, at + 1);
    if (p[at] != 0 || at + 10 > e->at_hand || p[at + 1] > 5 || shape_4(p + at + 2) > 4096)
        return 0;
    at += 10 + (uint64_t)shape_4(p + at + 6);
    return shape_exactly(e, at) | shape_exactly(e, at + 1);
}

static int shape_format(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 62 || e->size > SHAPE_LONG >> 10 || shape_2(p) != 4 || p[2] < '0' || p[2] > '9' || p[56] != 19)
        return 0;
    if (p[58] != 13 || p[59] != 0 || p[60] != 8 || p[61] != 0)
        return 0;
    int at = 2;
    while (at < 52 && p[at] >= 0x20 && p[at] < 0x7F)
        at++;
    while (at < 52 && p[at] == 0)
        at++;
    return at == 52 ? SHAPE_BOTH : 0;
}

static int shape_start(const shape_event *e)
{
    const unsigned char *p = e->body;
    return e->at_hand >= 56 && e->size == 56 && shape_2(p) == 3 && p[2] >= '0' && p[2] <= '9' ? SHAPE_PLAIN : 0;
}

static int shape_rotate(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 9 || e->size > 8 + SHAPE_NAME + 4 || e->at_hand < e->size || p[7] != 0 || p[6] != 0)
        return 0;
    uint64_t at = 8;
    while (at < e->size && p[at] >= 0x20)
        at++;
    if (at == e->size)
        return SHAPE_BOTH;
    return at + 4 >= e->size && at > 8 ? SHAPE_SUMMED : 0;
}

/* Where the length or count at `at` ends, and its value; 0 where it is not there. */
static uint64_t shape_packed(const shape_event *e, uint64_t at, uint64_t *value)
{
    const unsigned char *p = e->body + at;
    if (at + 4 > e->at_hand)
        return 0;
    *value = p[0] < 251 ? p[0] : p[0] == 252 ? shape_2(p + 1) : p[0] == 253 ? shape_2(p + 1) | (uint64_t)p[3] << 16 : 0;
    return p[0] < 251 ? at + 1 : p[0] == 252 ? at + 3 : p[0] == 253 ? at + 4 : 0;
}

/* The columns of a table from `at` on, and the fields about them: they end where the event does, or four bytes before. */
static int shape_columns(const shape_event *e, uint64_t at)
{
    uint64_t count = 0, size = 0;
    if (e->at_hand < e->size || e->size > SHAPE_SHORT || (at = shape_packed(e, at, &count)) == 0 || count > 4096)
        return SHAPE_BOTH;
    if ((at = shape_packed(e, at + count, &size)) == 0)
        return SHAPE_BOTH;
    at += size + (count + 7) / 8;
    while (at + 4 < e->size) {
        if ((at = shape_packed(e, at + 1, &size)) == 0)
            return SHAPE_BOTH;
        at += size;
    }
    return at == e->size ? SHAPE_PLAIN : at + 4 == e->size ? SHAPE_SUMMED : SHAPE_BOTH;
}

static int shape_table_map(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 13 || p[4] != 0 || p[5] != 0 || (shape_2(p + 6) & ~0x4007u) != 0)
        return 0;
    uint64_t database = p[8];
    if (database == 0 || !shape_name(e, 9, database) || 10 + database >= e->at_hand)
        return 0;
    uint64_t table = p[10 + database];
    if (table == 0 || !shape_name(e, 11 + database, table))
        return 0;
    uint64_t at = 12 + database + table;
    return shape_at_least(e, at + 2) & shape_columns(e, at);
}

static int shape_rows(const shape_event *e, uint64_t head)
{
    const unsigned char *p = e->body;
    if (e->at_hand < head + 1 || shape_4(p) == 0 || p[4] != 0 || p[5] != 0 || (shape_2(p + 6) & ~0x9Fu) != 0)
        return 0;
    if (head > 8) {
        uint64_t extra = shape_2(p + 8);
        if (extra < 2 || extra > 1026)
            return 0;
        head += extra - 2;
        if (e->at_hand < head + 1)
            return 0;
    }
    if (p[head] == 251 || p[head] > 252 || (p[head] == 0 && shape_4(p) != 0xFFFFFF))
        return 0;
    return shape_at_least(e, head + 1);
}

/* Whether a statement may begin at `at`, which says little: the more the longer it would be. */
static int shape_statement(const shape_event *e, uint64_t at)
{
    return e->size <= SHAPE_TEXT && shape_text(e, at, e->size <= SHAPE_LONG ? 6 : 14);
}

static int shape_rows_query(const shape_event *e)
{
    const unsigned char *p = e->body;
    int found = 0;
    if (e->at_hand < 2 || !shape_statement(e, 1))
        return 0;
    for (uint64_t tail = 0; tail <= 4; tail += 4) {
        if (e->size < 1 + tail)
            continue;
        uint64_t size = e->size - 1 - tail;
        if (p[0] == 0 || p[0] == (size < 255 ? size : 255) || p[0] == (size & 255))
            found |= tail == 0 ? SHAPE_PLAIN : SHAPE_SUMMED;
    }
    return found;
}

/* SLAVE_EVENT, which no server writes any more: position, port, name of the source, name of its log. */
static int shape_slave(const shape_event *e)
{
    const unsigned char *p = e->body;
    uint64_t at = 10;
    if (e->at_hand < 12 || e->size > 2 * SHAPE_NAME || e->at_hand < e->size || p[6] != 0 || p[7] != 0)
        return 0;
    while (at < e->size && p[at] >= 0x20)
        at++;
    return at > 10 && at < e->size && p[at] == 0 ? SHAPE_BOTH : 0;
}

static int shape_log_name(const shape_event *e)
{
    uint64_t at = 0;
    if (e->size == 0 || e->size > SHAPE_NAME + 4 || e->at_hand < e->size)
        return 0;
    while (at < e->size && e->body[at] >= 0x20)
        at++;
    return at == e->size ? SHAPE_BOTH : at > 0 && at + 4 >= e->size ? SHAPE_SUMMED : 0;
}

/* Each version of MySQL added fields, so that the event may end after some of them. */
static int shape_gtid(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 25 || p[0] > 1 || p[24] > 127)
        return 0;
    int found = shape_exactly(e, 25) | shape_exactly(e, 42);
    uint64_t at = 42;
    if (found != 0 || e->at_hand < at + 7)
        return found;
    at += p[at + 6] & 0x80 ? 14 : 7;
    found = shape_exactly(e, at);
    if (e->at_hand <= at)
        return found;
    at += p[at] < 251 ? 1 : p[at] == 252 ? 3 : p[at] == 253 ? 4 : 9;
    found |= shape_exactly(e, at);
    if (e->at_hand < at + 4)
        return found;
    at += p[at + 3] & 0x80 ? 8 : 4;
    return found | shape_exactly(e, at) | shape_exactly(e, at + 8);
}

static int shape_previous_gtids(const shape_event *e)
{
    if (e->at_hand < 8)
        return 0;
    uint64_t count = shape_8(e->body);
    int tagged = count >> 56 == 1;
    if (tagged) {
        if ((count & 255) != 1)
            return 0;
        count = count << 8 >> 16;
    }
    if (count == 0)
        return shape_exactly(e, 8);
    if (!tagged && (e->at_hand < 32 || shape_4(e->body + 24) == 0 || shape_4(e->body + 28) != 0))
        return 0;  /* the number of the first intervals */
    return count < SHAPE_LARGEST ? shape_at_least(e, 8 + 24 * count) : 0;
}

static int shape_xa(const shape_event *e)
{
    const unsigned char *p = e->body;
    if (e->at_hand < 13 || p[0] > 1)
        return 0;
    uint64_t gtrid = shape_4(p + 5), bqual = shape_4(p + 9);
    return gtrid <= 64 && bqual <= 64 ? shape_exactly(e, 13 + gtrid + bqual) : 0;
}

static int shape_view(const shape_event *e)
{
    uint64_t at = 0;
    if (e->at_hand < 52 || e->body[0] < '0' || e->body[0] > '9' || e->body[39] != 0)
        return 0;
    while (at < 40 && shape_is_text(e->body[at]))
        at++;
    while (at < 40 && e->body[at] == 0)
        at++;
    return at == 40 ? shape_at_least(e, 52) : 0;
}

/* The fields of a compressed transaction tell its size. */
static int shape_payload(const shape_event *e)
{
    const unsigned char *p = e->body;
    uint64_t at = 0, size = 0;
    int known = 0;
    for (int field = 0; field < 8; field++) {
        if (at + 11 > e->at_hand)
            return 0;
        unsigned char kind = p[at];
        if (kind == 0)
            return known ? shape_exactly(e, at + 1 + size) : 0;
        unsigned char length = p[at + 1];
        if (kind > 3 || length == 0 || length > 9)
            return 0;
        if (kind == 1) {
            unsigned char first = p[at + 2];
            size = first < 251 ? first : first == 252 ? shape_2(p + at + 3)
                : first == 253 ? shape_4(p + at + 3) & 0xFFFFFF : first == 254 ? shape_8(p + at + 3) : 0;
            known = size > 0 && size < SHAPE_LARGEST;
        }
        at += 2 + length;
    }
    return 0;
}

static int shape_gtid_list(const shape_event *e)
{
    if (e->at_hand < 4)
        return 0;
    uint64_t count = shape_4(e->body) & 0x0FFFFFFF;
    return count == 0 ? shape_exactly(e, 4) | shape_exactly(e, 6) : shape_exactly(e, 4 + 16 * count);
}

static int shape_mariadb_gtid(const shape_event *e)
{
    if (e->at_hand < 19)
        return 0;
    unsigned char flags = e->body[12];
    int found = flags & 0xC0 ? 0 : shape_exactly(e, flags & 2 ? 21 : 19);
    return found != 0 ? found : shape_between(e, 19, 200);
}

static int shape_by_type(const shape_event *e, unsigned char type, uint32_t flags)
{
    const unsigned char *p = e->body;
    uint64_t n = e->at_hand;
    switch (type) {
    case 1: return shape_start(e);
    case 2: {
        int found = shape_query(e, 13, 0);
        return found != 0 ? found : shape_old_query(e);
    }
    case 3: return shape_exactly(e, 0);
    case 4: return shape_rotate(e);
    case 5: return n >= 9 && (p[0] == 1 || p[0] == 2) ? shape_exactly(e, 9) : 0;
    case 6: case 12: return shape_load(e, 18);
    case 7: return shape_slave(e);
    case 8: return shape_load(e, 22);
    case 9: case 17:
        if (n < 4 || p[3] != 0 || (e->size > SHAPE_SHORT && p[2] >= 16) || e->size > SHAPE_BLOCK)
            return 0;
        return shape_at_least(e, 4);
    case 10: case 11: return n >= 4 && p[3] == 0 ? shape_exactly(e, 4) : 0;
    case 13: return shape_exactly(e, 16);
    case 14: return shape_user_var(e);
    case 15: return shape_format(e);
    case 16: return shape_exactly(e, 8);
    case 18: return shape_query(e, 26, 0);
    case 19: return shape_table_map(e);
    case 20: case 21: case 22: case 23: case 24: case 25: case 166: case 167: case 168: return shape_rows(e, 8);
    case 26: return n >= 3 && shape_2(p) <= 16 ? shape_exactly(e, 3 + p[2]) | shape_exactly(e, 7 + p[2]) : 0;
    case 27: return shape_log_name(e);
    case 28: return flags & 0x80 && e->size <= SHAPE_SHORT ? SHAPE_BOTH : 0;
    case 29: return shape_rows_query(e);
    case 30: case 31: case 32: case 39: case 169: case 170: case 171: return shape_rows(e, 10);
    case 33: case 34: return shape_gtid(e);
    case 35: return shape_previous_gtids(e);
    case 36: return n >= 54 && p[0] == 36 && p[5] <= 1 && shape_text(e, 18, 36) ? shape_at_least(e, 54) : 0;
    case 37: return shape_view(e);
    case 38: return shape_xa(e);
    case 40: return shape_payload(e);
    case 41: return n >= 2 && (p[0] == 1 || p[0] == 2) && p[1] > 0 ? shape_between(e, 2, 2 * SHAPE_NAME) : 0;
    case 42: return shape_between(e, 20, 512);
    case 43: return shape_between(e, 1, 512);
    case 160: return n >= 1 && shape_statement(e, 0) ? shape_at_least(e, 1) : 0;
    case 161: return n >= 4 && shape_4(p) <= SHAPE_NAME ? shape_exactly(e, 4 + (uint64_t)shape_4(p)) : 0;
    case 162: return shape_mariadb_gtid(e);
    case 163: return shape_gtid_list(e);
    case 165: return shape_query(e, 13, 1);
    case 164: return n >= 17 && (p[0] == 1 || p[0] == 2) ? shape_exactly(e, 17) : 0;
    case 172: return n >= 9 && shape_4(p) < SHAPE_SHORT && shape_4(p + 4) <= shape_4(p) && p[8] <= 1
            ? shape_at_least(e, 9) : 0;
    default: return 0;
    }
}

#endif
