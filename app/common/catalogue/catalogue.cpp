// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/catalogue.hpp"

#include "app/common/catalogue/parts.hpp"
#include "core/project/text.hpp"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace holdfast::app {

namespace {

constexpr std::array<std::pair<ServerKind, std::string_view>, 3> kinds{
    {{ServerKind::postgresql, "postgresql"}, {ServerKind::redis, "redis"}, {ServerKind::sqlite, "sqlite"}}};

} // namespace

std::string_view to_text(ServerKind kind) {
    return kinds[static_cast<std::size_t>(kind)].second;
}

std::optional<ServerKind> server_kind(std::string_view word) {
    for (const auto& [kind, name] : kinds)
        if (name == word)
            return kind;
    return std::nullopt;
}

std::vector<std::string_view> server_kind_words() {
    std::vector<std::string_view> words;
    for (const auto& [kind, name] : kinds)
        words.push_back(name);
    return words;
}

std::string_view to_text(CatalogueKnob::Applies applies) {
    switch (applies) {
    case CatalogueKnob::Applies::restart:
        return "restart";
    case CatalogueKnob::Applies::reload:
        return "reload";
    case CatalogueKnob::Applies::session:
        return "session";
    }
    return "";
}

Result<Catalogue> catalogue_of(ServerKind kind, study::Runner& runner, const CatalogueOptions& options,
                               std::stop_token kill) {
    switch (kind) {
    case ServerKind::postgresql:
        return catalogue::postgresql(runner, options, kill);
    case ServerKind::redis:
        return catalogue::redis(runner, options, kill);
    case ServerKind::sqlite:
        break;
    }
    return catalogue::sqlite(runner, options, kill);
}

namespace catalogue {

namespace fs = std::filesystem;

Machine machine_of(const study::Runner& runner, const CatalogueOptions& options) {
    const auto facts = nlohmann::json::parse(runner.machine(), nullptr, false);
    Machine machine{options.memory_bytes, 1};
    if (facts.is_object()) {
        if (machine.memory_bytes == 0)
            machine.memory_bytes = facts.value("memory_bytes", std::uint64_t{0});
        machine.cores = facts.value("cores", 1);
    }
    return machine;
}

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(at, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::vector<std::string> lines_of(const std::string& text) {
    auto lines = split(text, '\n');
    if (lines.back().empty())
        lines.pop_back();
    return lines;
}

Result<std::string> ask(study::Runner& runner, const Question& question, std::stop_token kill) {
    study::Execution execution;
    execution.argv = {"/bin/sh", "-c", question.script, "sh"};
    execution.argv.insert(execution.argv.end(), question.words.begin(), question.words.end());
    if (!question.program.native().starts_with("/usr/"))
        execution.read.push_back(question.program.parent_path().native());
    auto result = runner.execute(execution, kill);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ok())
        return std::move(result->standard_output);
    const auto said = lines_of(result->standard_error);
    return failed(question.attempted,
                  printable(said.empty() ? result->reason : result->reason + ": " + said.back()).substr(0, 300),
                  fmt::format("Try {} by hand; `holdfast doctor` tells whether the sandbox works.",
                              printable(question.program.native())));
}

Result<fs::path> find_server(const CatalogueOptions& options, const std::vector<std::string>& names,
                             const std::vector<fs::path>& folders, const std::string& package) {
    const std::string attempted = "find the program " + names.front();
    std::vector<fs::path> places;
    if (!options.program.empty()) {
        places.push_back(options.program);
    } else {
        const char* path = std::getenv("PATH");
        std::vector<fs::path> all;
        for (const std::string& folder : split(path == nullptr ? "" : path, ':'))
            if (folder.starts_with('/'))
                all.emplace_back(folder);
        all.insert(all.end(), folders.begin(), folders.end());
        for (const std::string& name : names)
            for (const fs::path& folder : all)
                places.push_back(folder / name);
    }
    for (const fs::path& place : places) {
        std::error_code code;
        if (fs::is_regular_file(place, code) && ::access(place.c_str(), X_OK) == 0)
            return fs::absolute(place);
    }
    return invalid(attempted,
                   options.program.empty() ? "it is neither in PATH nor where distributions put it"
                                           : printable(options.program.native()) + " is no program",
                   fmt::format("Install it (Debian: apt-get install {}), or name its path.", package));
}

} // namespace catalogue

} // namespace holdfast::app
