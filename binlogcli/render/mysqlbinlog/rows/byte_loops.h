/* The loops over bytes that mysqlbinlog's text spends its time in: base64, quoted strings, dates, hex dumps.
 *
 * Each writes to a target that its caller has made large enough, and gives the number of bytes written.
 */
#ifndef BINLOGCLI_BYTE_LOOPS_H
#define BINLOGCLI_BYTE_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "digits.h"

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

static inline unsigned char *text_base64_line(unsigned char *out, const unsigned char *p)
{
    for (int group = 0; group < 19; group++, p += 3)
        out = text_base64_three(out, p);
    return out;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Twelve bytes to sixteen characters at once: each group of three bytes is spread over four, then the four numbers of six
 * bits are moved to where their range of characters begins. */
__attribute__((target("ssse3")))
static inline void text_base64_twelve(unsigned char *out, const unsigned char *p)
{
    const __m128i spread = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    const __m128i shifts = _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                                         '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0);
    __m128i in = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), spread);
    __m128i high = _mm_mulhi_epu16(_mm_and_si128(in, _mm_set1_epi32(0x0fc0fc00)), _mm_set1_epi32(0x04000040));
    __m128i low = _mm_mullo_epi16(_mm_and_si128(in, _mm_set1_epi32(0x003f03f0)), _mm_set1_epi32(0x01000010));
    __m128i sixes = _mm_or_si128(high, low);
    __m128i range = _mm_subs_epu8(sixes, _mm_set1_epi8(51));
    __m128i capital = _mm_cmpgt_epi8(_mm_set1_epi8(26), sixes);
    range = _mm_or_si128(range, _mm_and_si128(capital, _mm_set1_epi8(13)));
    _mm_storeu_si128((__m128i *)out, _mm_add_epi8(_mm_shuffle_epi8(shifts, range), sixes));
}

/* The last load reads bytes 36 to 51 of the line's 57. */
__attribute__((target("ssse3")))
static unsigned char *text_base64_line_at_once(unsigned char *out, const unsigned char *p)
{
    for (int block = 0; block < 4; block++)
        text_base64_twelve(out + 16 * block, p + 12 * block);
    for (int group = 0; group < 3; group++)
        text_base64_three(out + 64 + 4 * group, p + 48 + 3 * group);
    return out + 76;
}

static int text_base64_at_once(void)
{
    return __builtin_cpu_supports("ssse3");
}
#else
#define text_base64_line_at_once text_base64_line
static int text_base64_at_once(void)
{
    return 0;
}
#endif

/* Lines of 76 characters (57 bytes), each with its newline; the target takes 4 * (n / 3 + 1) + n / 57 + 1 bytes. */
static size_t text_base64(unsigned char *target, const unsigned char *p, size_t n)
{
    unsigned char *out = target;
    static int at_once = 0;
    if (text_base64_pairs[0] == 0) {
        text_base64_fill();
        at_once = text_base64_at_once();
    }
    for (; n > 57; n -= 57, p += 57) {
        out = at_once ? text_base64_line_at_once(out, p) : text_base64_line(out, p);
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

#ifdef __SSE2__
/* The same of sixteen bytes, exactly. */
static inline int text_special_of_sixteen(__m128i bytes, int escaping)
{
    __m128i found = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    if (escaping) {
        found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\'')));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    }
    return _mm_movemask_epi8(found) != 0;
}
#endif

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
    int long_enough = n >= 8;
    uint64_t word;
    *out++ = '\'';
#ifdef __SSE2__
    for (; n >= 16; n -= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        if (text_special_of_sixteen(bytes, escaping))
            break;
        _mm_storeu_si128((__m128i *)out, bytes);
        out += 16;
        p += 16;
    }
#endif
    for (; n >= 8; n -= 8) {
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
    if (n > 0 && long_enough) { /* the last eight at once, some of them once more */
        memcpy(&word, p + n - 8, 8);
        if (!text_special(word, escaping)) {
            memcpy(out + n - 8, &word, 8);
            out += n;
            n = 0;
        }
    }
    for (; n > 0; n--)
        out = text_put_byte(out, *p++, escaping);
    *out++ = '\'';
    return (size_t)(out - target);
}

/* A number of two digits, or of more where it is larger. */
static inline unsigned char *text_two(unsigned char *out, unsigned int value)
{
    int count = 2;
    if (value < 100) {
        memcpy(out, digit_pairs + 2 * value, 2);
    } else {
        count = digit_count(value);
        put_digits(out, value, count);
    }
    return out + count;
}

/* yyyy-mm-dd with any separator. The target takes 40 bytes. */
static size_t text_date(unsigned char *target, unsigned int year, unsigned int month, unsigned int day, unsigned char separator)
{
    unsigned char *out = text_two(target, year / 100);
    out = text_two(out, year % 100);
    *out++ = separator;
    out = text_two(out, month);
    *out++ = separator;
    return (size_t)(text_two(out, day) - target);
}

/* hh:mm:ss. The target takes 40 bytes. */
static size_t text_clock(unsigned char *target, unsigned int hour, unsigned int minute, unsigned int second)
{
    unsigned char *out = text_two(target, hour);
    *out++ = ':';
    out = text_two(out, minute);
    *out++ = ':';
    return (size_t)(text_two(out, second) - target);
}

/* Where a line ends: at the next carriage return or newline. */
static const unsigned char *text_line_end(const unsigned char *p, const unsigned char *end)
{
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        if ((TEXT_BELOW(word ^ TEXT_EACH('\n'), 1) | TEXT_BELOW(word ^ TEXT_EACH('\r'), 1)) != 0)
            break;
    }
    while (p < end && *p != '\r' && *p != '\n')
        p++;
    return p;
}

/* Lines after `#Q> `; carriage returns and newlines end a line, and empty ones are left out. 6 * n + 8 bytes. */
static size_t text_commented(unsigned char *target, const unsigned char *p, size_t n)
{
    unsigned char *out = target;
    const unsigned char *end = p + n;
    while (p < end) {
        const unsigned char *start;
        while (p < end && (*p == '\r' || *p == '\n'))
            p++;
        start = p;
        p = text_line_end(p, end);
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
