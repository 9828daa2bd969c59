// SPDX-License-Identifier: GPL-3.0-or-later
// git's settings, and who a person is to git. libgit2 reads the files alone; what git takes from the environment before
// them (git-config(1), git-commit-tree(1)) is read here, so that a decision carries the name that git would write.
#include "core/git/handles.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <strings.h>

namespace holdfast::git {

namespace {

std::optional<std::string> variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// The last of GIT_CONFIG_KEY_n that names `key`. Only the middle of a key of three parts tells letters apart, and none
/// that is asked for here has one.
Result<std::optional<std::string>> variable_setting(const std::string& key, const std::string& attempted) {
    const std::string count = variable("GIT_CONFIG_COUNT").value_or("");
    std::size_t pairs = 0;
    const auto read = std::from_chars(count.data(), count.data() + count.size(), pairs);
    if (!count.empty() && (read.ec != std::errc() || read.ptr != count.data() + count.size()))
        return invalid(attempted, "GIT_CONFIG_COUNT is '" + printable(count) + "', which is no number",
                       "Set it to how many pairs of GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n there are, or unset it.");
    std::optional<std::string> found;
    for (std::size_t i = 0; i < pairs; ++i) {
        const std::string number = std::to_string(i);
        const auto name = variable("GIT_CONFIG_KEY_" + number), value = variable("GIT_CONFIG_VALUE_" + number);
        if (!name || !value)
            return invalid(attempted,
                           "GIT_CONFIG_COUNT is " + count + ", but there is no GIT_CONFIG_" +
                               (name ? "VALUE_" : "KEY_") + number,
                           "Set it, or lower GIT_CONFIG_COUNT.");
        if (strcasecmp(name->c_str(), key.c_str()) == 0)
            found = value;
    }
    return found;
}

/// Opened afresh: a person told to run `git config` must not have to restart a program that runs for days.
Result<std::string> config_text(const std::filesystem::path& root, const std::string& key,
                                const std::string& attempted) {
    auto given = variable_setting(key, attempted);
    if (!given)
        return tl::unexpected(given.error());
    if (*given)
        return **given;
    RepositoryHandle fresh;
    if (const int code = git_repository_open(out(fresh), root.c_str()); code < 0)
        return git_failed(attempted, code);
    ConfigHandle layers, config;
    if (const int code = git_repository_config(out(layers), fresh.get()); code < 0)
        return git_failed(attempted, code);
    if (const auto file = variable("GIT_CONFIG_GLOBAL"); file) // in the place of both files of the user
        for (const git_config_level_t level : {GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL})
            if (const int code = git_config_add_file_ondisk(layers.get(), file->empty() ? "/dev/null" : file->c_str(),
                                                            level, fresh.get(), 1);
                code < 0)
                return git_failed(attempted, code);
    if (const int code = git_config_snapshot(out(config), layers.get()); code < 0)
        return git_failed(attempted, code);
    const char* value = nullptr;
    const int code = git_config_get_string(&value, config.get(), key.c_str());
    if (code < 0 && code != GIT_ENOTFOUND)
        return git_failed(attempted, code);
    return std::string(code < 0 || value == nullptr ? "" : value);
}

/// As git does: no characters that would break the "Name <email>" line, no blanks around.
std::string as_identity(std::string text) {
    text.erase(std::remove_if(text.begin(), text.end(),
                              [](char c) { return c == '<' || c == '>' || static_cast<unsigned char>(c) < 0x20; }),
               text.end());
    const auto begin = text.find_first_not_of(" .,:;\"'");
    if (begin == std::string::npos)
        return "";
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// One half of the committer: the variable, else its own setting, else the user's.
Result<std::string> committer(const std::filesystem::path& root, const std::string& half,
                              const std::string& attempted) {
    if (const auto given = variable(half == "name" ? "GIT_COMMITTER_NAME" : "GIT_COMMITTER_EMAIL"); given)
        if (std::string text = as_identity(*given); !text.empty())
            return text;
    for (const char* section : {"committer.", "user."}) {
        auto text = config_text(root, section + half, attempted).map(as_identity);
        if (!text || !text->empty())
            return text;
    }
    return std::string();
}

} // namespace

Result<std::string> Repository::setting(const std::string& key) const {
    const std::lock_guard lock(handle_->guard);
    return config_text(handle_->root, key, "read git's setting " + printable(key));
}

Result<Identity> Repository::identity() const {
    const std::lock_guard lock(handle_->guard);
    const std::string attempted = "find out who you are";
    const auto name = committer(handle_->root, "name", attempted);
    if (!name)
        return tl::unexpected(name.error());
    const auto email = committer(handle_->root, "email", attempted);
    if (!email)
        return tl::unexpected(email.error());
    if (name->empty() || email->empty())
        return invalid(attempted, name->empty() ? "git has no user.name" : "git has no user.email",
                       "Run `git config --global user.name \"Your Name\"` and "
                       "`git config --global user.email you@example.org`.");
    return Identity{*name, *email};
}

} // namespace holdfast::git
