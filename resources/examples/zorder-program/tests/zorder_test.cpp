// SPDX-License-Identifier: GPL-3.0-or-later
#include "query.hpp"
#include "scan.hpp"
#include "zorder.hpp"

#include <iostream>
#include <string>

using namespace zorder;

namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
    if (holds)
        return;
    std::cerr << "failed: " << what << '\n';
    ++failures;
}

/// Every pair of the even numbers below 32.
Table grid() {
    Table table;
    table.value_bits = 5;
    table.columns.resize(2);
    for (Value a = 0; a < 32; a += 2)
        for (Value b = 0; b < 32; b += 2) {
            table.columns[0].push_back(a);
            table.columns[1].push_back(b);
        }
    return table;
}

void key_bits_are_spread_evenly() {
    std::string columns;
    for (const KeyBit& key_bit : interleave({4, 2}, 5))
        columns += static_cast<char>('a' + key_bit.column);
    check(columns == "abaaba" || columns == "aabaab", "4 and 2 bits interleave evenly, not as " + columns);
    check(interleave({12, 12, 12}, 12).size() == key_bits, "the key is cut off");
    check(interleave({9}, 5).size() == 5, "a column has no more bits than its values");
}

void answers_do_not_depend_on_the_order() {
    const Table table = grid();
    const Query query = parse_query("a 3..11 b 9..21", 2);
    for (const Allocation& bits : {Allocation{0, 0}, Allocation{5, 0}, Allocation{3, 3}, Allocation{1, 4}})
        for (const std::size_t block_rows : {1, 7, 64, 1000}) {
            Work work;
            const BlockedTable blocked(reordered(table, z_order(table, bits)), block_rows);
            const Answer answer = blocked.answer(query, work);
            check(answer.rows == 4 * 6, "a 3..11 b 9..21 has 24 rows, not " + std::to_string(answer.rows));
            check(work.rows >= answer.rows && work.rows <= table.rows(), "rows are scanned once");
        }
}

void filters_skip_blocks() {
    const Table table = grid();
    Work work;
    const BlockedTable blocked(reordered(table, z_order(table, {5, 0})), 16);
    blocked.answer(parse_query("a 3..11", 2), work);
    check(work.rows == 4 * 16, "four of sixteen blocks are scanned, not " + std::to_string(work.rows) + " rows");
    check(work.filters == 16, "each block's filter is looked at once");
}

void a_wrong_query_is_refused() {
    for (const std::string line : {"", "e 1..2", "a 1", "a 5..2", "a 1-2"}) {
        bool refused = false;
        try {
            parse_query(line, 2);
        } catch (const std::exception&) {
            refused = true;
        }
        check(refused, "'" + line + "' is refused");
    }
}

} // namespace

int main() {
    key_bits_are_spread_evenly();
    answers_do_not_depend_on_the_order();
    filters_skip_blocks();
    a_wrong_query_is_refused();
    return failures == 0 ? 0 : 1;
}
