// SPDX-License-Identifier: GPL-3.0-or-later
#include "tally.h"

size_t distinct_of(struct numbers *numbers) {
    size_t found = 0;
    for (size_t i = 0; i < numbers->count; i++) {
        const long value = numbers->values[i];
        size_t at = 0;
        while (at < found && numbers->values[at] != value)
            at++;
        if (at == found)
            numbers->values[found++] = value;
    }
    return found;
}
