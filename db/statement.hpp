// SPDX-License-Identifier: GPL-3.0-or-later
// Values into statements and out of rows, by position, each type in one place.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace holdfast::db {

/// A text whose "" means "none" and is stored as NULL.
struct Nullable {
    const std::string& text;
};

inline void put(SQLite::Statement& statement, int index, const std::string& value) {
    statement.bind(index, value);
}
inline void put(SQLite::Statement& statement, int index, Nullable value) {
    if (value.text.empty())
        statement.bind(index);
    else
        statement.bind(index, value.text);
}
inline void put(SQLite::Statement& statement, int index, std::int64_t value) {
    statement.bind(index, value);
}
inline void put(SQLite::Statement& statement, int index, int value) {
    statement.bind(index, value);
}
inline void put(SQLite::Statement& statement, int index, bool value) {
    statement.bind(index, value ? 1 : 0);
}
/// SQLite's integers are signed; the bits are kept, so every value returns exactly.
inline void put(SQLite::Statement& statement, int index, std::uint64_t value) {
    statement.bind(index, static_cast<std::int64_t>(value));
}
/// SQLite has no NaN and would store NULL anyway.
inline void put(SQLite::Statement& statement, int index, double value) {
    statement.bind(index, value);
}
inline void put(SQLite::Statement& statement, int index, std::chrono::nanoseconds value) {
    statement.bind(index, static_cast<std::int64_t>(value.count()));
}

template <class... Values> void bind_all(SQLite::Statement& statement, const Values&... values) {
    int index = 0;
    (put(statement, ++index, values), ...);
}

/// The columns of the current row, left to right.
class Row {
public:
    explicit Row(SQLite::Statement& statement) : statement_(statement) {}

    std::string text() { return next().getString(); }
    std::int64_t integer() { return next().getInt64(); }
    int small() { return next().getInt(); }
    bool flag() { return next().getInt() != 0; }
    std::uint64_t natural() { return static_cast<std::uint64_t>(next().getInt64()); }
    std::chrono::nanoseconds duration() { return std::chrono::nanoseconds(next().getInt64()); }
    double real() {
        const SQLite::Column column = next();
        return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
    }

private:
    SQLite::Column next() { return statement_.getColumn(index_++); }

    SQLite::Statement& statement_;
    int index_ = 0;
};

} // namespace holdfast::db
