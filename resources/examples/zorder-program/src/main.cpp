// SPDX-License-Identifier: GPL-3.0-or-later
// zorder --table=FILE --queries=FILE --out=FOLDER [--bits-a=N ...] [--block-rows=N]
#include "query.hpp"
#include "scan.hpp"
#include "table.hpp"
#include "zorder.hpp"

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

struct Options {
    std::string table, queries, out;
    zorder::Allocation bits; ///< by column; a column that is not named has none
    std::size_t block_rows = 64;
};

/// Whether `argument` starts with `name`; `value` is then the rest.
bool take(const std::string& argument, const std::string& name, std::string& value) {
    if (argument.compare(0, name.size(), name) != 0)
        return false;
    value = argument.substr(name.size());
    return true;
}

unsigned number(const std::string& text) {
    std::size_t used = 0;
    unsigned long value = 0;
    try {
        value = std::stoul(text, &used);
    } catch (const std::logic_error&) {
        used = 0;
    }
    if (used == 0 || used != text.size() || value > 1'000'000)
        throw std::runtime_error("'" + text + "' is not a number from 0 to 1000000");
    return static_cast<unsigned>(value);
}

Options parse(int count, char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        std::string value;
        if (take(argument, "--table=", options.table) || take(argument, "--queries=", options.queries) ||
            take(argument, "--out=", options.out))
            continue;
        if (take(argument, "--block-rows=", value)) {
            options.block_rows = number(value);
        } else if (take(argument, "--bits-", value) && value.size() > 2 && value[0] >= 'a' && value[0] <= 'z' &&
                   value[1] == '=') {
            const std::size_t column = static_cast<std::size_t>(value[0] - 'a');
            if (options.bits.size() <= column)
                options.bits.resize(column + 1);
            options.bits[column] = number(value.substr(2));
        } else {
            throw std::runtime_error("unknown argument " + argument);
        }
    }
    if (options.table.empty() || options.queries.empty() || options.out.empty() || options.block_rows == 0)
        throw std::runtime_error("--table, --queries and --out are needed, and a block has at least one row");
    return options;
}

void run(const Options& options) {
    using namespace zorder;
    Table table = read_table(options.table);
    const auto queries = read_queries(options.queries, table.columns.size());
    Allocation bits = options.bits;
    if (bits.size() > table.columns.size())
        throw std::runtime_error("bits for a column that the table does not have");
    bits.resize(table.columns.size());
    const BlockedTable blocked(reordered(table, z_order(table, bits)), options.block_rows);

    Work work;
    std::ofstream answers(options.out + "/answers.txt");
    for (const Query& query : queries) {
        const Answer answer = blocked.answer(query, work);
        answers << answer.rows << ' ' << answer.checksum << '\n';
    }
    std::ofstream counters(options.out + "/counters.json");
    counters << "{ \"rows\": " << work.rows + work.filters << ", \"scanned\": " << work.rows
             << ", \"filters\": " << work.filters << " }\n";
    if (!answers.flush() || !counters.flush())
        throw std::runtime_error("cannot write to " + options.out);
}

} // namespace

int main(int count, char** arguments) {
    try {
        run(parse(count, arguments));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "zorder: " << error.what() << '\n';
        return 1;
    }
}
