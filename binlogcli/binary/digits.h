/* A number as decimal digits, two at a time. */
#ifndef BINLOGCLI_DIGITS_H
#define BINLOGCLI_DIGITS_H

#include <stddef.h>
#include <string.h>

static const char digit_pairs[] =
    "0001020304050607080910111213141516171819" "2021222324252627282930313233343536373839"
    "4041424344454647484950515253545556575859" "6061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static const unsigned long long powers_of_ten[] = {
    1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull,
    10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull, 1000000000000000ull,
    10000000000000000ull, 100000000000000000ull, 1000000000000000000ull, 10000000000000000000ull};

/* How many digits a number has. */
static inline int digit_count(unsigned long long value)
{
    int count = ((64 - __builtin_clzll(value | 1)) * 1233) >> 12; /* bits * log10(2): one too few at most */
    return count + (count < 20 && value >= powers_of_ten[count]) + (value == 0);
}

/* Fills `count` characters, which the number is not longer than, from their end; the rest of them are zeros. */
static inline void put_digits(unsigned char *text, unsigned long long value, ptrdiff_t count)
{
    while (value >= 100) {
        count -= 2;
        memcpy(text + count, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        count -= 2;
        memcpy(text + count, digit_pairs + 2 * value, 2);
    } else if (count > 0) {
        text[--count] = (unsigned char)('0' + value);
    }
    while (count > 0)
        text[--count] = '0';
}

#endif
