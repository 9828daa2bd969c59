// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/build_marker.hpp"

#include "core/study/files.hpp"

#include <charconv>
#include <fmt/format.h>

namespace holdfast::study {

std::filesystem::path marker_of(const std::filesystem::path& build) {
    return build.string() + ".done";
}

Result<void> write_marker(const std::filesystem::path& build, const BuildMarker& marker) {
    return write_file(marker_of(build), fmt::format("{}\n{}\n", marker.hash, marker.time.count()));
}

std::optional<BuildMarker> read_marker(const std::filesystem::path& build) {
    const auto file = marker_of(build);
    const auto text = read_output(file.parent_path(), file.filename().string(), 1 << 10);
    if (!text || !*text)
        return std::nullopt;
    const std::string& all = **text;
    const std::size_t end = all.find('\n');
    long long count = -1;
    if (end == std::string::npos ||
        std::from_chars(all.data() + end + 1, all.data() + all.size(), count).ec != std::errc() || count < 0)
        return std::nullopt;
    return BuildMarker{all.substr(0, end), std::chrono::milliseconds(count)};
}

} // namespace holdfast::study
