#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: run.sh TALLY; the program on small inputs, right and wrong ones.
tally=$1
fail() {
    echo "run.sh: $1" >&2
    exit 1
}
printf '3\n1\n3\n' >/tmp/small.txt
"$tally" sums /tmp/small.txt /tmp/sums.txt 2>/dev/null || fail "sums of a small input"
grep -q '^mean 2.33333333333$' /tmp/sums.txt || fail "the mean of 3, 1, 3"
"$tally" distinct /tmp/small.txt /tmp/distinct.txt 2>/dev/null || fail "distinct values of a small input"
[ "$(sort /tmp/distinct.txt | tr '\n' ' ')" = "1 3 " ] || fail "the distinct values of 3, 1, 3"
printf '3\nx\n' >/tmp/wrong.txt
"$tally" sums /tmp/wrong.txt /tmp/sums.txt 2>/dev/null
[ $? -eq 3 ] || fail "a line that is no number must end with 3"
