// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>

struct numbers {
    long *values;
    size_t count;
};

/* 0, or -1 after a message on standard error. */
int read_numbers(const char *file, struct numbers *numbers);

/* The mean, and the mean distance of two values. */
struct sums {
    double mean, distance;
};
struct sums sums_of(const struct numbers *numbers, size_t block);

/* Moves every value's first appearance to the front; how many there are. */
size_t distinct_of(struct numbers *numbers);

/* 0, or -1 after a message on standard error. */
int write_text(const char *file, const char *text, size_t size);

#endif
