/* The loops over bytes that mysqlbinlog's text spends its time in: base64, quoted strings, hex dumps.
 *
 * Each writes to a target that its caller has made large enough, and gives the number of bytes written.
 */
#ifndef BINLOGCLI_BYTE_LOOPS_H
#define BINLOGCLI_BYTE_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char text_base64_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char text_hex_chars[] = "0123456789abcdef";
static uint16_t text_base64_pairs[4096]; /* two characters for each 12 bits */

static void text_base64_fill(void)
{
    for (int bits = 0; bits < 4096; bits++) {
        char pair[2] = {text_base64_chars[bits >> 6], text_base64_chars[bits & 63]};
        memcpy(&text_base64_pairs[bits], pair, 2);
    }
}

static inline unsigned char *text_base64_three(unsigned char *out, const unsigned char *p)
{
    uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    memcpy(out, &text_base64_pairs[bits >> 12], 2);
    memcpy(out + 2, &text_base64_pairs[bits & 4095], 2);
    return out + 4;
}

/* Lines of 76 characters (57 bytes), each with its newline; the target takes 4 * (n / 3 + 1) + n / 57 + 1 bytes. */
static size_t text_base64(unsigned char *target, const unsigned char *p, size_t n)
{
    unsigned char *out = target;
    if (text_base64_pairs[0] == 0)
        text_base64_fill();
    for (; n > 57; n -= 57) {
        for (int group = 0; group < 19; group++, p += 3)
            out = text_base64_three(out, p);
        *out++ = '\n';
    }
    for (; n >= 3; n -= 3, p += 3)
        out = text_base64_three(out, p);
    if (n > 0) {
        unsigned char last[3] = {p[0], n == 2 ? p[1] : 0, 0};
        out = text_base64_three(out, last);
        out[-1] = '=';
        if (n == 1)
            out[-2] = '=';
    }
    *out++ = '\n';
    return (size_t)(out - target);
}

/* What MySQL 8 writes after a backslash for a byte, or 0. */
static inline unsigned char text_escape(unsigned char byte)
{
    switch (byte) {
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\\': return '\\';
    case '\'': return '\'';
    default: return 0;
    }
}

#define TEXT_EACH(byte) (0x0101010101010101ULL * (byte))
#define TEXT_BELOW(word, byte) (((word) - TEXT_EACH(byte)) & ~(word) & TEXT_EACH(0x80))

/* Whether one of eight bytes needs an escape; may say so of some that do not. */
static inline int text_special(uint64_t word, int escaping)
{
    uint64_t found = TEXT_BELOW(word, 0x20);
    if (escaping) {
        uint64_t quote = word ^ TEXT_EACH('\''), backslash = word ^ TEXT_EACH('\\');
        found |= TEXT_BELOW(quote, 1) | TEXT_BELOW(backslash, 1);
    }
    return found != 0;
}

static inline unsigned char *text_put_byte(unsigned char *out, unsigned char byte, int escaping)
{
    unsigned char name;
    if (byte >= 0x20 && (!escaping || (byte != '\\' && byte != '\''))) {
        *out++ = byte;
    } else if (escaping && (name = text_escape(byte)) != 0) {
        *out++ = '\\';
        *out++ = name;
    } else {
        *out++ = '\\';
        *out++ = 'x';
        *out++ = text_hex_chars[byte >> 4];
        *out++ = text_hex_chars[byte & 15];
    }
    return out;
}

/* A string in quotes; bytes below 0x20 as \xNN, or by name where `escaping`. The target takes 4 * n + 10 bytes. */
static size_t text_quoted(unsigned char *target, const unsigned char *p, size_t n, int escaping)
{
    unsigned char *out = target;
    *out++ = '\'';
    for (; n >= 8; n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        if (!text_special(word, escaping)) {
            memcpy(out, &word, 8);
            out += 8;
            p += 8;
        } else {
            for (int at = 0; at < 8; at++)
                out = text_put_byte(out, *p++, escaping);
        }
    }
    for (; n > 0; n--)
        out = text_put_byte(out, *p++, escaping);
    *out++ = '\'';
    return (size_t)(out - target);
}

/* Lines behind `#Q> `; carriage returns and newlines end a line, and empty ones are left out. 6 * n + 8 bytes. */
static size_t text_commented(unsigned char *target, const unsigned char *p, size_t n)
{
    unsigned char *out = target;
    const unsigned char *end = p + n;
    while (p < end) {
        const unsigned char *start;
        while (p < end && (*p == '\r' || *p == '\n'))
            p++;
        for (start = p; p < end && *p != '\r' && *p != '\n'; p++)
            ;
        if (p > start) {
            memcpy(out, "#Q> ", 4);
            memcpy(out + 4, start, (size_t)(p - start));
            out += 4 + (p - start);
            *out++ = '\n';
        }
    }
    return (size_t)(out - target);
}

/* An offset in hex, at least `width` characters wide, filled up with `fill`. */
static inline unsigned char *text_offset(unsigned char *out, uint64_t offset, int width, unsigned char fill)
{
    int digits = 1;
    for (uint64_t rest = offset >> 4; rest > 0; rest >>= 4)
        digits++;
    for (; width > digits; width--)
        *out++ = fill;
    for (int digit = digits - 1; digit >= 0; digit--)
        *out++ = text_hex_chars[offset >> (4 * digit) & 15];
    return out;
}

/* The 19 bytes of an event's header as hex, field by field. The target takes 120 bytes. */
static size_t text_header(unsigned char *target, const unsigned char *p, uint64_t offset, int mysql)
{
    unsigned char *out = target;
    *out++ = '#';
    *out++ = ' ';
    out = text_offset(out, offset, 8, mysql ? '0' : ' ');
    memcpy(out, mysql ? " " : "  |", mysql ? 1 : 3);
    out += mysql ? 1 : 3;
    for (int at = 0; at < 19; at++) {
        int begins = at == 4 || at == 5 || at == 9 || at == 13 || at == 17;
        if (begins && !mysql) {
            memcpy(out, at == 5 ? "   |" : " |", at == 5 ? 4 : 2);
            out += at == 5 ? 4 : 2;
        } else if (begins) {
            memcpy(out, "   ", 3);
            out += 3;
        } else if (at > 0) {
            *out++ = ' ';
        }
        *out++ = text_hex_chars[p[at] >> 4];
        *out++ = text_hex_chars[p[at] & 15];
    }
    *out++ = '\n';
    return (size_t)(out - target);
}

/* Lines of 16 bytes as `hexdump -C` has them, behind "# ". The target takes 88 bytes a line.
 *
 * MariaDB pads the offset with spaces and shows all of ASCII; MySQL pads it with zeros and shows letters and digits alone.
 */
static size_t text_hexdump(unsigned char *target, const unsigned char *p, size_t n, uint64_t offset, int mysql)
{
    unsigned char *out = target;
    while (n > 0) {
        size_t count = n < 16 ? n : 16;
        *out++ = '#';
        *out++ = ' ';
        out = text_offset(out, offset, 8, mysql ? '0' : ' ');
        *out++ = ' ';
        if (!mysql)
            *out++ = ' ';
        memset(out, ' ', 50);
        for (size_t at = 0; at < count; at++) {
            unsigned char *cell = out + 3 * at + (at >= 8);
            cell[0] = text_hex_chars[p[at] >> 4];
            cell[1] = text_hex_chars[p[at] & 15];
        }
        out += mysql ? 49 : 50;
        *out++ = '|';
        for (size_t at = 0; at < count; at++) {
            unsigned char byte = p[at], letter = byte | 0x20;
            int shown = mysql ? (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') : byte >= 0x20 && byte < 0x7f;
            *out++ = shown ? byte : '.';
        }
        *out++ = '|';
        *out++ = '\n';
        p += count;
        n -= count;
        offset += count;
    }
    return (size_t)(out - target);
}

#endif
