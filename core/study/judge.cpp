// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/judge.hpp"

#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "core/study/numeric.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t max_output_file = 1ULL << 30;
const char* const standard_output_name = "standard output"; ///< among the output hashes

/// Beside the kept output folder, not in it: there a file of the program's could stand in its place.
fs::path kept_output(const fs::path& expected) {
    return expected.string() + ".stdout";
}

/// How `made` differs from `kept`, as the end of a sentence; nothing when it does not.
std::optional<std::string> difference(const Compared& compared, const std::string& kept, const std::string& made) {
    if (!compared.numeric)
        return kept == made ? std::nullopt : std::optional<std::string>("differs from the baseline's");
    const auto where = numeric_difference(kept, made, *compared.numeric);
    return where ? std::optional("differs from the baseline's by more than the tolerance, " + *where) : std::nullopt;
}

} // namespace

Result<std::optional<std::string>> keep_expected(const Check& check, const fs::path& out,
                                                 const std::string& standard_output, const fs::path& expected) {
    using Fault = std::optional<std::string>;
    auto done = remove_tree(expected);
    if (done)
        done = make_folder(expected, fs::perms::owner_all);
    if (done)
        done = copy_tree(out, expected);
    if (done)
        done = write_file(kept_output(expected), standard_output);
    if (!done)
        return tl::unexpected(done.error());
    std::size_t bytes = check.standard_output ? standard_output.size() : 0;
    for (const Compared& compared : check.files) {
        auto made = read_output(out, compared.file, max_output_file);
        if (!made)
            return tl::unexpected(made.error());
        if (!*made)
            return Fault("the baseline writes no file " + printable(compared.file));
        bytes += (*made)->size();
    }
    if (bytes == 0 && check.command.empty() && !check.quality)
        return Fault("the checked output of the baseline is empty, so no check could ever fail");
    return Fault();
}

Result<std::string> expected_standard_output(const fs::path& expected) {
    const fs::path place = kept_output(expected);
    auto kept = read_output(place.parent_path(), place.filename().string(), max_output_file);
    if (!kept)
        return tl::unexpected(kept.error());
    if (!*kept)
        return failed("compare with the baseline", "its standard output is gone",
                      "Start again; nothing else may "
                      "write to the cache folder");
    return std::move(**kept);
}

Result<std::optional<std::string>> output_difference(const Check& check, const fs::path& expected, const fs::path& out,
                                                     const std::string& standard_output) {
    using Difference = std::optional<std::string>;
    if (check.standard_output) {
        auto kept = expected_standard_output(expected);
        if (!kept)
            return tl::unexpected(kept.error());
        if (const auto how = difference(*check.standard_output, *kept, standard_output))
            return Difference("standard output " + *how);
    }
    for (const Compared& compared : check.files) {
        auto kept = read_output(expected, compared.file, max_output_file);
        if (!kept)
            return tl::unexpected(kept.error());
        auto made = read_output(out, compared.file, max_output_file);
        const auto how = !made              ? std::optional("cannot be read: " + made.error().found)
                         : !*made || !*kept ? std::optional<std::string>("is missing")
                                            : difference(compared, **kept, **made);
        if (how)
            return Difference(fmt::format("output file {} {}", printable(compared.file), *how));
    }
    return Difference();
}

namespace {

/// A relative link without ".." cannot leave the folder, whatever other links are in it.
bool leads_outside(const fs::path& target) {
    return target.is_absolute() || std::find(target.begin(), target.end(), "..") != target.end();
}

} // namespace

std::optional<std::string> odd_output(const fs::path& out, std::uint64_t most) {
    std::error_code code;
    std::uint64_t bytes = 0;
    for (fs::recursive_directory_iterator entry(out, code), end; !code && entry != end; entry.increment(code)) {
        const fs::file_type type = entry->symlink_status(code).type();
        const std::string name = "output " + printable(entry->path().lexically_relative(out).string());
        if (type == fs::file_type::symlink) {
            const fs::path target = fs::read_symlink(entry->path(), code);
            if (!code && leads_outside(target))
                return fmt::format("{} is a symbolic link to {}, outside the outputs", name,
                                   printable(target.string()));
        } else if (type == fs::file_type::regular) {
            if (::access(entry->path().c_str(), R_OK) != 0)
                return name + " cannot be read";
            bytes += entry->file_size(code);
        } else if (type != fs::file_type::directory) {
            return name + " is neither a regular file nor a folder";
        }
        if (code)
            break;
        if (bytes > most)
            return fmt::format("its output files are longer than {} MiB together", most >> 20);
    }
    return code ? std::optional("its outputs cannot be read: " + code.message()) : std::nullopt;
}

Result<std::string> output_hash(const fs::path& out, const std::string& standard_output) {
    auto hashes = hash_folder(out);
    if (!hashes)
        return tl::unexpected(hashes.error());
    (*hashes)[standard_output_name] = sha256(standard_output);
    return combined_hash(*hashes);
}

} // namespace holdfast::study
