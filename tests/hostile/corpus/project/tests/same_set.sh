#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: same_set.sh FILE FILE; whether both hold the same lines in any order.
sort "$1" >/tmp/first && sort "$2" >/tmp/second && cmp /tmp/first /tmp/second
