// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/init/next.hpp"

#include "app/common/init/inputs.hpp"
#include "app/common/uncommitted.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace holdfast::app::init {

namespace {

constexpr std::array descriptions = {
    "Makefile",         "makefile",     "GNUmakefile",       "CMakeLists.txt", "Cargo.toml",
    "Cargo.lock",       "package.json", "package-lock.json", "pyproject.toml", "setup.cfg",
    "requirements.txt", "pytest.ini",   "tox.ini",           "go.mod",         "go.sum"};
constexpr std::array sources = {".c",   ".cc",   ".cpp", ".cxx", ".h",  ".hh", ".hpp",   ".hxx",
                                ".ipp", ".inc",  ".rs",  ".go",  ".py", ".js", ".mjs",   ".cjs",
                                ".ts",  ".java", ".rb",  ".pl",  ".sh", ".in", ".cmake", ".mk"};

bool private_file(const std::string& path) {
    return path.starts_with(".holdfast/");
}

class Needs {
public:
    Needs(const Seen& seen, const Proposal& proposal) : seen_(seen), proposal_(proposal) {
        for (const Workload& workload : proposal.draft.workloads)
            for (const std::string& input : workload.inputs)
                (workload.role == Role::holdout ? held_out_ : inputs_).insert(input);
        const auto write = [&](const std::string& path) { (seen.ignores(path) ? ignored_ : written_).insert(path); };
        write("holdfast.json");
        for (const NewFile& file : proposal.files)
            if (!private_file(file.path))
                write(file.path);
        named_ = named_in_source(proposal.draft);
    }

    const std::set<std::string>& held_out() const { return held_out_; }
    /// Written files that git would not take without being told to.
    const std::set<std::string>& ignored() const { return ignored_; }

    /// What else is to be added, a folder in the place of its files where all of them are.
    std::vector<std::string> paths() const {
        std::map<std::string, std::vector<std::string>> by_top; ///< needed files
        std::set<std::string> mixed;                            ///< folders with files that are not to be added
        const auto top = [](const std::string& path) { return path.substr(0, path.find('/')); };
        std::set<std::string> all = written_;
        for (const SeenFile& file : seen_.files) {
            if (needed(file))
                all.insert(file.path);
            else if (!file.committed)
                mixed.insert(top(file.path));
        }
        for (const std::string& path : all)
            by_top[top(path)].push_back(path);
        std::vector<std::string> result = by_top["holdfast.json"];
        by_top.erase("holdfast.json");
        for (const auto& [folder, files] : by_top)
            if (files.size() > 1 && !mixed.contains(folder))
                result.push_back(folder);
            else
                result.insert(result.end(), files.begin(), files.end());
        return result;
    }

private:
    bool needed(const SeenFile& file) const {
        const std::string& path = file.path;
        if (file.committed || held_out_.contains(path) || written_.contains(path))
            return false;
        const bool named = std::any_of(named_.begin(), named_.end(), [&](const std::string& place) {
            return path == place || path.starts_with(place + "/");
        });
        return named || inputs_.contains(path) || (!proposal_.programs.empty() && belongs_to_program(path));
    }

    static bool belongs_to_program(const std::string& path) {
        const auto is = [&](const auto& names, const std::string& what) {
            return std::find(names.begin(), names.end(), what) != names.end();
        };
        return is(descriptions, name_of(path)) || is(sources, extension_of(path)) || belongs_to_tests(path);
    }

    const Seen& seen_;
    const Proposal& proposal_;
    std::set<std::string> inputs_, held_out_, written_, ignored_;
    std::vector<std::string> named_;
};

/// The words behind `git add` for a folder that has no commit yet.
std::string everything(const Seen& seen, const Needs& needs) {
    std::string text = seen.prefix.empty() ? "-A" : "-A .";
    bool first = true;
    for (const std::string& path : needs.held_out())
        if (!private_file(path)) {
            text += (first && seen.prefix.empty() ? " . " : " ") + all_but(path);
            first = false;
        }
    return text;
}

} // namespace

std::vector<std::string> next_steps(const Seen& seen, const Proposal& proposal) {
    const std::string in = shell_quoted(printable(seen.folder.string()));
    const Needs needs(seen, proposal);
    std::string line;
    if (!seen.in_repository)
        line = fmt::format("git -C {} init && ", in);
    std::vector<std::string> adds;
    if (const auto& forced = needs.ignored(); !forced.empty())
        adds.push_back("-f " + pathspecs({forced.begin(), forced.end()}));
    if (const std::string rest = seen.has_commit ? pathspecs(needs.paths()) : everything(seen, needs); !rest.empty())
        adds.push_back(rest);
    for (const std::string& words : adds)
        line += fmt::format("git -C {} add {} && ", in, words);
    line += fmt::format("git -C {} commit -m '{}'", in, seen.has_commit ? "Add holdfast.json" : "Start");
    return {line, fmt::format("holdfast -C {} validate", in), fmt::format("holdfast -C {} measure", in)};
}

} // namespace holdfast::app::init
