/* A number as decimal digits, two at a time. */
#ifndef BINLOGCLI_DIGITS_H
#define BINLOGCLI_DIGITS_H

#include <stddef.h>
#include <string.h>

static const char digit_pairs[] =
    "0001020304050607080910111213141516171819" "2021222324252627282930313233343536373839"
    "4041424344454647484950515253545556575859" "6061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* Fills `text` (80 bytes) from its end, with zeros before the number up to `width` (at most 60); how many characters. */
static inline ptrdiff_t number_text(unsigned char *text, unsigned long long value, int width)
{
    ptrdiff_t at = 80;
    while (value >= 100) {
        at -= 2;
        memcpy(text + at, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(text + at, digit_pairs + 2 * value, 2);
    } else {
        text[--at] = (unsigned char)('0' + value);
    }
    while (80 - at < width)
        text[--at] = '0';
    return 80 - at;
}

#endif
