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

/* A string in quotes; bytes below 0x20 as \xNN, or by name where `escaping`. The target takes 4 * n + 2 bytes. */
static size_t text_quoted(unsigned char *target, const unsigned char *p, size_t n, int escaping)
{
    unsigned char *out = target;
    *out++ = '\'';
    for (size_t at = 0; at < n; at++) {
        unsigned char byte = p[at], name;
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
    }
    *out++ = '\'';
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
