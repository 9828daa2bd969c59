// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.hpp"

#include "core/project/knobs.hpp"
#include "core/project/text.hpp"
#include "core/study/files.hpp"
#include "sandbox/sandbox_runner.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <system_error>

namespace holdfast::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_patch_bytes = 16u << 20;

fs::path program_folder() {
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    return code ? fs::path() : self.parent_path();
}

Result<std::string> read_patch(const std::string& file) {
    const std::string attempted = "read the patch " + printable(file);
    std::ifstream stream;
    if (file != "-") {
        std::error_code code;
        if (!fs::is_regular_file(file, code) && !fs::is_fifo(file, code))
            return invalid(attempted, fs::exists(file, code) ? "it is not a file" : "there is no such file",
                           "Name a unified diff, or - for standard input");
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
        if (text.size() > max_patch_bytes)
            return invalid(attempted, "it is larger than 16 MiB", "Propose a smaller change");
    }
    if (text.empty())
        return invalid(attempted, "it is empty", "Name a unified diff such as `git diff` prints");
    return text;
}

} // namespace

int exit_code(Error::Kind kind) {
    switch (kind) {
    case Error::Kind::failed:
        return Exit::error;
    case Error::Kind::invalid:
        return Exit::usage;
    case Error::Kind::refused:
        return Exit::gate_refused;
    case Error::Kind::interrupted:
        return Exit::interrupted;
    }
    return Exit::error;
}

const char* kind_text(Error::Kind kind) {
    switch (kind) {
    case Error::Kind::failed:
        return "failed";
    case Error::Kind::invalid:
        return "invalid";
    case Error::Kind::refused:
        return "refused";
    case Error::Kind::interrupted:
        return "interrupted";
    }
    return "failed";
}

Result<Opened> open_project_and_repository(const Common& common) {
    auto project = load_project(common.folder);
    if (!project)
        return tl::unexpected(to_error(project.error()));
    auto repository = git::Repository::open(project->folder);
    if (!repository)
        return tl::unexpected(repository.error());
    return Opened{std::move(*project), std::move(*repository)};
}

fs::path history_file(const fs::path& project_folder) {
    return project_folder / ".holdfast" / "history.sqlite";
}

Result<std::unique_ptr<study::Store>> open_history(const Common& common, db::SqliteStore::Mode mode) {
    std::error_code code;
    const fs::path folder = fs::weakly_canonical(common.folder, code);
    auto store = db::SqliteStore::open(history_file(code ? common.folder : folder), mode,
                                       {std::chrono::seconds(10), [](const std::string& who) {
                                            std::fputs((printable(who) + "\n").c_str(), stderr);
                                        }});
    return store;
}

Result<void> make_state_folder(const Project& project, const git::Repository& repository) {
    if (auto made = study::make_folder(project.folder / ".holdfast", fs::perms::owner_all); !made)
        return made;
    return repository.exclude("/" + repository.prefix() + ".holdfast/");
}

Result<std::unique_ptr<study::Runner>> start_runner() {
    auto runner = sandbox::SandboxRunner::start(program_folder());
    if (!runner)
        return tl::unexpected(runner.error());
    return std::unique_ptr<study::Runner>(std::move(*runner));
}

fs::path resources_folder() {
    const fs::path bin = program_folder();
    // Installed: <prefix>/bin beside <prefix>/share/holdfast. Built: <checkout>/build/<preset>/bin.
    for (const fs::path& place :
         {bin.parent_path() / "share" / "holdfast", bin.parent_path().parent_path().parent_path() / "resources"})
        if (std::error_code code; fs::is_directory(place / "examples", code))
            return place;
    return {};
}

Result<CandidateInput> read_candidate(const Project& project, const CandidateArguments& arguments) {
    CandidateInput input;
    input.configuration = project.defaults();
    std::vector<std::string> names;
    for (const Knob& knob : project.knobs)
        names.push_back(knob.name);
    for (const std::string& text : arguments.set) {
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const std::string attempted = "set knob " + printable(name);
        if (equals == std::string::npos)
            return invalid(attempted, "'" + printable(text) + "' has no value", "Write --set NAME=VALUE");
        const Knob* knob = project.knob(name);
        if (knob == nullptr) {
            const std::string near = nearest(name, names);
            return invalid(attempted, "the project has no knob of that name",
                           near.empty() ? "See the knobs with: holdfast validate" : "Did you mean " + near + "?");
        }
        auto value = parse_value(*knob, std::string_view(text).substr(equals + 1));
        if (!value)
            return tl::unexpected(value.error());
        input.configuration[name] = *value;
    }
    if (auto admitted = admit(project, input.configuration); !admitted)
        return tl::unexpected(admitted.error());
    if (!arguments.patch.empty()) {
        auto patch = read_patch(arguments.patch);
        if (!patch)
            return tl::unexpected(patch.error());
        input.patch = std::move(*patch);
    }
    const bool changes_knobs = input.configuration != project.defaults();
    input.kind = input.patch.empty() ? "knobs" : changes_knobs ? "both" : "patch";
    return input;
}

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) ^ device();
}

void print_document(const nlohmann::json& document) {
    const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout); // main() tells when it could not be written
}

} // namespace holdfast::cli
