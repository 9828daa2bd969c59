// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/alone.hpp"

#include "sandbox/folders.hpp"
#include "sandbox/init/protocol.hpp"
#include "sandbox/trash.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace holdfast::sandbox {
namespace {

namespace fs = std::filesystem;
using study::Execution;

constexpr const char* attempted = "run a program without name spaces";

bool in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '+' || c == '~';
}

/// Whether a path may begin at `at`: "-I/build" is one, "/x/build" is not.
bool begins_path(std::string_view text, std::size_t at) {
    if (at == 0 || (!in_name(text[at - 1]) && text[at - 1] != '/'))
        return true;
    return text.front() == '-' && std::all_of(text.begin() + 1, text.begin() + std::ptrdiff_t(at),
                                              [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

Error trouble(const fs::path& place, const std::string& found) {
    return {Error::Kind::failed, attempted, place.string() + ": " + found, "Check the folder for temporary trees"};
}

/// Links and scratch folders of the run before are gone then.
Result<void> clear(const fs::path& cache, const fs::path& at) {
    auto trash = Trash::open(cache);
    if (!trash)
        return tl::unexpected(trash.error());
    if (const Descriptor parent = open_folder(cache); fs::exists(fs::symlink_status(at)))
        if (auto taken = trash->take(parent.get(), at.filename()); !taken)
            return taken;
    if (auto emptied = trash->empty(); !emptied)
        return emptied;
    std::error_code error;
    fs::create_directory(at, error);
    if (!error)
        fs::permissions(at, fs::perms(0755), error);
    return error ? Result<void>(tl::unexpected(trouble(at, error.message()))) : Result<void>();
}

Result<void> link(const study::Mount& mount, const fs::path& place) {
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (!error)
        fs::create_symlink(mount.host, place, error);
    return error ? Result<void>(tl::unexpected(trouble(place, error.message()))) : Result<void>();
}

} // namespace

std::string moved(std::string_view text, const std::vector<std::pair<std::string, std::string>>& places) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::pair<std::string, std::string>* best = nullptr;
        if (text[at] == '/' && begins_path(text, at))
            for (const auto& place : places) {
                const std::size_t end = at + place.first.size();
                if (text.substr(at).starts_with(place.first) && (end == text.size() || !in_name(text[end])) &&
                    (best == nullptr || best->first.size() < place.first.size()))
                    best = &place;
            }
        if (best == nullptr) {
            result += text[at++];
        } else {
            result += best->second;
            at += best->first.size();
        }
    }
    return result;
}

Result<Execution> placed_on_host(const Execution& prepared, const fs::path& cache) {
    if (prepared.server)
        return refused(attempted, "its workload has a server, which needs a loopback of its own",
                       "Run it where user namespaces can be made; holdfast doctor says what "
                       "is missing");
    Execution execution = prepared;
    const fs::path at = cache / alone_folder;
    if (auto cleared = clear(cache, at); !cleared)
        return tl::unexpected(cleared.error());
    std::vector<std::pair<std::string, std::string>> places;
    for (study::Mount& mount : execution.mounts) {
        const fs::path place = at / fs::path(mount.inside).relative_path();
        if (auto linked = link(mount, place); !linked)
            return tl::unexpected(linked.error());
        places.emplace_back(mount.inside, place);
        mount.inside = place;
    }
    // Shared memory by name (/dev/shm) would be the host's: there is none.
    for (const char* inside : {"/tmp", "/home/user"}) {
        const fs::path place = at / (std::string("own-") + fs::path(inside).filename().string());
        std::error_code error;
        fs::create_directory(place, error);
        if (error)
            return tl::unexpected(trouble(place, error.message()));
        if (auto given = give_tree(cache, place); !given)
            return tl::unexpected(given.error());
        places.emplace_back(inside, place);
        execution.mounts.push_back({place, place, true});
    }
    for (std::string& word : execution.argv)
        word = moved(word, places);
    for (auto& [name, value] : execution.environment)
        value = moved(value, places);
    execution.folder = moved(execution.folder, places);
    return execution;
}

} // namespace holdfast::sandbox
