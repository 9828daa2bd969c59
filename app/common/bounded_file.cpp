// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/bounded_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <system_error>

namespace holdfast::app {

namespace fs = std::filesystem;

Result<std::string> read_bounded(const std::string& file, std::size_t cap, const std::string& attempted,
                                 const std::string& remedy) {
    std::ifstream stream;
    if (file != "-") {
        std::error_code code;
        if (!fs::is_regular_file(file, code) && !fs::is_fifo(file, code))
            return invalid(attempted, fs::exists(file, code) ? "it is not a file" : "there is no such file", remedy);
        stream.open(file, std::ios::binary);
        if (!stream)
            return invalid(attempted, std::error_code(errno, std::generic_category()).message(),
                           "Check its permissions");
    }
    std::istream& in = file == "-" ? std::cin : stream;
    std::string text;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer), in.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (text.size() > cap)
            return invalid(attempted, fmt::format("it is larger than {} MiB", cap >> 20), "Name a smaller file");
    }
    if (text.empty())
        return invalid(attempted, "it is empty", remedy);
    return text;
}

} // namespace holdfast::app
