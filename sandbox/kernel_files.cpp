// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/kernel_files.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace holdfast::sandbox {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    // Through a stream's operator: a read that fails (a folder, a process that has gone) ends it; an iterator throws.
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

std::string line_of(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::optional<double> number_of(const fs::path& file) {
    double value = 0;
    return std::istringstream(line_of(file)) >> value ? std::optional(value) : std::nullopt;
}

std::uint64_t number_after(const std::string& text, const std::string& key) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, key.size(), key) == 0) {
            std::uint64_t value = 0;
            std::istringstream(line.substr(key.size())) >> value;
            return value;
        }
    return 0;
}

std::vector<int> numbers_of_list(const std::string& list) {
    std::vector<int> numbers;
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        std::istringstream in(part);
        int first = 0, last = 0;
        char dash = 0;
        if (!(in >> first))
            return {};
        if (!(in >> dash >> last))
            last = first;
        for (int number = first; number <= last && numbers.size() < 4096; ++number)
            numbers.push_back(number);
    }
    return numbers;
}

} // namespace holdfast::sandbox
