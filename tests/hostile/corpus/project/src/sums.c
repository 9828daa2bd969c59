// SPDX-License-Identifier: GPL-3.0-or-later
#include "tally.h"

#include <math.h>

struct sums sums_of(const struct numbers *numbers, size_t block) {
    const size_t count = numbers->count;
    double sum = 0, distance = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)numbers->values[i];
    for (size_t begin = 0; begin < count; begin += block) {
        const size_t end = begin + block < count ? begin + block : count;
        for (size_t i = 0; i < count; i++)
            for (size_t j = begin; j < end; j++)
                distance += fabs((double)(numbers->values[i] - numbers->values[j]) / 7);
    }
    return (struct sums){sum / (double)count, 7 * distance / (double)count / (double)count};
}
