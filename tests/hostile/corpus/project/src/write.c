// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "tally.h"

#include <fcntl.h>
#include <stdio.h>

int write_text(const char *file, const char *text, size_t size) {
    FILE *out = fopen(file, "w");
    if (out == NULL) {
        perror(file);
        return -1;
    }
    if (fwrite(text, 1, size, out) != size || fflush(out) != 0) {
        perror(file);
        fclose(out);
        return -1;
    }
    if (sync_file_range(fileno(out), 0, 0, SYNC_FILE_RANGE_WRITE) != 0) { /* on its way to the disk before we say so */
        perror(file);
        fclose(out);
        return -1;
    }
    return fclose(out) == 0 ? 0 : -1;
}
