// SPDX-License-Identifier: GPL-3.0-or-later
// Errors are values: what was attempted, what was found, what to do.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace holdfast {

struct Error {
    enum class Kind {
        failed,      ///< something went wrong while doing what was asked (exit 1)
        invalid,     ///< the command line or a file the user wrote is wrong (exit 2)
        refused,     ///< a gate or a missing safeguard said no (exit 4)
        interrupted, ///< the user stopped it (exit 130)
    };
    Kind kind = Kind::failed;
    std::string attempted; ///< completes "Cannot ...": "read the project file /x/holdfast.json"
    std::string found;     ///< "line 3, column 7: a trailing comma"
    std::string remedy;    ///< one imperative sentence; may be empty only when nothing can be done

    /// "Cannot <attempted>: <found>. <remedy>", safe to print on a terminal.
    std::string message() const;
};

/// The remedy where only holdfast itself can be at fault.
constexpr const char* report_defect = "Report this as a defect of holdfast.";

template <class T> using Result = tl::expected<T, Error>;

tl::unexpected<Error> failed(std::string attempted, std::string found, std::string remedy = "");
tl::unexpected<Error> invalid(std::string attempted, std::string found, std::string remedy = "");
tl::unexpected<Error> refused(std::string attempted, std::string found, std::string remedy = "");

} // namespace holdfast
