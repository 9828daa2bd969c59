// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/witness.hpp"

#include "core/git/repository.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"

#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace holdfast::app {

namespace fs = std::filesystem;

namespace {

bool is_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

Witness Witness::of(const fs::path& folder) {
    Witness witness;
    std::error_code code;
    const fs::path whole = fs::weakly_canonical(folder, code);
    const auto repository = git::Repository::open(folder);
    if (code || !repository)
        return witness;
    // Linked working trees share the store and have a history each; moved with its store, a folder keeps its name.
    const fs::path from_store = whole.lexically_relative(fs::weakly_canonical(repository->store(), code));
    witness.file_ = repository->store() / "holdfast" / (sha256(from_store.string()).substr(0, 16) + ".head");
    return witness;
}

std::vector<db::KnownEvent> Witness::known() const {
    std::string hash;
    std::error_code code;
    if (file_.empty() || fs::symlink_status(file_, code).type() == fs::file_type::not_found)
        return {};
    if (fs::is_regular_file(fs::symlink_status(file_, code)))
        std::ifstream(file_) >> hash;
    // What cannot be read names an event that no history has: only taking the file away says that it is meant.
    return {{is_hash(hash) ? hash : "(unreadable)",
             fmt::format("{} (remove it if you put another history here yourself)", printable(file_.string()))}};
}

Result<void> Witness::note(const std::string& head) const {
    if (file_.empty())
        return {};
    if (auto made = study::make_folder(file_.parent_path(), fs::perms::owner_all); !made)
        return made;
    const fs::path beside = file_.string() + "." + std::to_string(::getpid());
    if (auto written = study::write_file(beside, head + "\n"); !written)
        return written;
    std::error_code code;
    fs::rename(beside, file_, code);
    if (!code)
        return {};
    std::error_code ignored;
    fs::remove(beside, ignored);
    return failed("note the head of the history in " + printable(file_.string()), code.message(),
                  "Make the folder writable for you");
}

std::optional<std::string> tracked_history(const fs::path& folder) {
    const auto repository = git::Repository::open(folder);
    const auto head = repository ? repository->head() : Result<git::Head>(tl::unexpected(repository.error()));
    if (!head)
        return std::nullopt;
    const std::string path = repository->prefix() + ".holdfast/history.sqlite";
    const auto entry = repository->read(head->commit, path);
    if (!entry || !*entry)
        return std::nullopt;
    return fmt::format("The history is a file of the repository ({} in {:.10}): whoever commits there writes its "
                       "decisions.",
                       printable(path), head->commit.id);
}

} // namespace holdfast::app
