// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/input_bytes.hpp"

#include "core/project/text.hpp"
#include "core/study/files.hpp"

namespace holdfast::study {

namespace {

constexpr std::uint64_t max_input_bytes = 8ULL << 30;

} // namespace

Result<std::string> input_bytes(const Project& project, const git::Repository& repository, const git::Commit& commit,
                                const Workload& workload, const std::string& input) {
    const std::string attempted = "pin the inputs of workload " + printable(workload.name);
    auto tracked = repository.read(commit, repository.prefix() + input);
    if (!tracked)
        return tl::unexpected(tracked.error());
    if (tracked->has_value()) {
        if ((*tracked)->kind != git::Entry::Kind::file && (*tracked)->kind != git::Entry::Kind::executable)
            return invalid(attempted, printable(input) + " is not a regular file in the commit", "Name a regular file");
        return std::move((*tracked)->content);
    }
    auto found = read_output(project.folder, input, max_input_bytes);
    if (!found)
        return tl::unexpected(found.error());
    if (!found->has_value())
        return invalid(attempted, printable(input) + " is neither in the commit nor in the project folder",
                       "Create the file or correct \"inputs\"");
    return std::move(**found);
}

} // namespace holdfast::study
