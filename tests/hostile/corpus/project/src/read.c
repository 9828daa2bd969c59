// SPDX-License-Identifier: GPL-3.0-or-later
#include "tally.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 1000000 };

int read_numbers(const char *file, struct numbers *numbers) {
    FILE *in = fopen(file, "r");
    char line[64];
    if (in == NULL) {
        perror(file);
        return -1;
    }
    numbers->count = 0;
    numbers->values = malloc(most * sizeof *numbers->values);
    if (numbers->values == NULL) {
        perror("tally");
        fclose(in);
        return -1;
    }
    while (fgets(line, sizeof line, in) != NULL) {
        char *end = line;
        errno = 0;
        const long value = strtol(line, &end, 10);
        if (end == line || *end != '\n' || errno != 0) {
            fprintf(stderr, "tally: line %zu is no number\n", numbers->count + 1);
            fclose(in);
            return -1;
        }
        if (value < -1000000 || value > 1000000) {
            fprintf(stderr, "tally: line %zu is out of range\n", numbers->count + 1);
            fclose(in);
            return -1;
        }
        if (numbers->count == most) {
            fprintf(stderr, "tally: more than %d lines\n", most);
            fclose(in);
            return -1;
        }
        numbers->values[numbers->count++] = value;
    }
    fclose(in);
    if (numbers->count == 0) {
        fprintf(stderr, "tally: no numbers\n");
        return -1;
    }
    return 0;
}
