// SPDX-License-Identifier: GPL-3.0-or-later
// tally sums|distinct INPUT OUTPUT [--block=N]
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_sums(const char *file, const struct numbers *numbers, size_t block) {
    const struct sums sums = sums_of(numbers, block);
    char text[128];
    const int size = snprintf(text, sizeof text, "mean %.12g\ndistance %.12g\n", sums.mean, sums.distance);
    return write_text(file, text, (size_t)size);
}

static int write_distinct(const char *file, struct numbers *numbers) {
    const size_t count = distinct_of(numbers);
    char *text = malloc(24 * count + 1);
    size_t size = 0;
    if (text == NULL) {
        perror("tally");
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        size += (size_t)sprintf(text + size, "%ld\n", numbers->values[i]);
    const int done = write_text(file, text, size);
    free(text);
    return done;
}

int main(int argc, char **argv) {
    size_t block = 256;
    if (argc < 4) {
        fprintf(stderr, "usage: tally sums|distinct INPUT OUTPUT [--block=N]\n");
        return 2;
    }
    for (int i = 4; i < argc; i++)
        if (strncmp(argv[i], "--block=", 8) == 0)
            block = strtoul(argv[i] + 8, NULL, 10);
    if (block == 0) {
        fprintf(stderr, "tally: a block holds at least one value\n");
        return 2;
    }
    struct numbers numbers;
    if (read_numbers(argv[2], &numbers) != 0)
        return 3;
    fprintf(stderr, "tally: %zu values\n", numbers.count);
    const int done =
        strcmp(argv[1], "sums") == 0 ? write_sums(argv[3], &numbers, block) : write_distinct(argv[3], &numbers);
    free(numbers.values);
    return done == 0 ? 0 : 4;
}
