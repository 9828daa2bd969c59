// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/coverage.hpp"

#include "core/git/diff.hpp"
#include "core/project/text.hpp"
#include "core/study/coverage_data.hpp"
#include "core/study/execution.hpp"
#include "core/study/files.hpp"
#include "core/study/line_kinds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace holdfast::study {

namespace fs = std::filesystem;

namespace {

/// A changed file, by its path below the project folder.
struct Changed {
    std::string path;
    std::vector<std::size_t> lines; ///< of the new text
    std::string text;               ///< the new one
};

Result<std::vector<Changed>> changed_lines(const git::PlacedPatch& patch, const std::string& prefix) {
    std::vector<Changed> files;
    for (const git::PlacedFile& placed : patch.files) {
        if (placed.change == git::PlacedFile::Change::removed)
            continue;
        const bool added = placed.change == git::PlacedFile::Change::added;
        auto diff = git::diff_texts(placed.path, added ? std::nullopt : std::optional(placed.before), placed.after, 0);
        if (!diff)
            return tl::unexpected(diff.error());
        Changed file{
            placed.path.starts_with(prefix) ? placed.path.substr(prefix.size()) : placed.path, {}, placed.after};
        for (const git::DiffHunk& hunk : diff->hunks)
            for (const git::DiffLine& line : hunk.lines)
                if (line.kind == git::DiffLine::Kind::added)
                    file.lines.push_back(line.new_line);
        if (!file.lines.empty())
            files.push_back(std::move(file));
    }
    return files;
}

bool has_extension(const std::string& path, std::initializer_list<const char*> extensions) {
    const std::string extension = fs::path(path).extension().string();
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

bool is_python(const std::string& path) {
    return has_extension(path, {".py"});
}

bool is_compiled(const std::string& path) {
    return has_extension(path, {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp",
                                ".tpp", ".f", ".f90", ".d"});
}

/// Of a file that is one of both.
Language language_of(const std::string& path) {
    return is_python(path) ? Language::python : Language::compiled;
}

/// One look at a candidate, with the folders it needs; gone with the object.
class Look {
public:
    Look(Bench& bench, const Arm& candidate, std::vector<Changed> files)
        : bench_(&bench), arm_(candidate), files_(std::move(files)) {}
    ~Look() {
        // What cannot be removed is removed when the workspace is opened again.
        for (const fs::path& folder : folders_)
            (void)remove_tree(folder);
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

    Result<Coverage> run(const std::vector<const Workload*>& workloads);

private:
    bool any(bool (*kind)(const std::string&)) const {
        return std::any_of(files_.begin(), files_.end(), [&](const Changed& file) { return kind(file.path); });
    }
    Result<fs::path> folder() {
        auto made = bench_->workspace->scratch();
        if (made)
            folders_.push_back(*made);
        return made;
    }
    Result<void> build();
    Result<void> follow_python();
    Result<void> run_workload(const Workload& workload);
    Result<void> read_counters();
    Coverage summary() const;
    /// Why nothing can be told of any line of the file; "" when it can.
    std::string why_unknown(const Changed& file) const;
    void add_lines(const Changed& file, Coverage& coverage) const;

    Bench* bench_;
    Arm arm_; ///< with the counting build once it is there
    std::vector<Changed> files_;
    std::vector<fs::path> folders_;
    fs::path python_;                 ///< empty: no Python file changed
    bool counting_ = false;           ///< the build counts
    std::string no_counters_;         ///< why it does not, or what came of them
    std::vector<std::string> failed_; ///< workloads that gave no answer, and why
    bool served_ = false;             ///< one of them has a server
    LineCounts seen_;
};

/// CMake and make's built-in rules take these variables; what does not is told by the absence of counters.
Result<void> Look::build() {
    if (bench_->project->build.empty()) {
        no_counters_ = "the project builds nothing";
        return {};
    }
    auto place = folder();
    if (!place)
        return tl::unexpected(place.error());
    auto failure = build_beside(
        *bench_->project, *bench_->workspace, *bench_->runner, *bench_->watch, arm_.artifact.source, arm_.configuration,
        {{"CFLAGS", "--coverage -O0"}, {"CXXFLAGS", "--coverage -O0"}, {"LDFLAGS", "--coverage"}}, *place);
    if (!failure)
        return tl::unexpected(failure.error());
    if (!failure->empty())
        no_counters_ = "with --coverage " + *failure;
    else {
        arm_.artifact.build = *place;
        counting_ = true;
    }
    return {};
}

Result<void> Look::follow_python() {
    auto place = folder();
    if (!place)
        return tl::unexpected(place.error());
    std::string names;
    for (const Changed& file : files_)
        if (is_python(file.path))
            names += file.path + '\n';
    auto done = write_file(*place / "sitecustomize.py", python_hook);
    if (done)
        done = write_file(*place / "files", names);
    if (done)
        done = bench_->runner->give(*place);
    if (done)
        python_ = *place;
    return done;
}

Result<void> Look::run_workload(const Workload& workload) {
    served_ = served_ || workload.server.has_value();
    auto taken = bench_->sampler->run_aside(arm_, workload, workload.seeds.front(), [&](Execution& execution) {
        execution.limits.time = std::max(bench_->project->timeouts.run, bench_->project->timeouts.test);
        execution.limits.disk_bytes *= 2; // all of a writable mount counts, also what was built there
        for (Mount& mount : execution.mounts)
            mount.writable = mount.writable || (counting_ && mount.inside == "/build"); // counters are beside objects
        if (python_.empty())
            return;
        execution.mounts.push_back({python_, "/coverage", true});
        std::string path = "/coverage";
        for (const auto& [name, value] : execution.environment)
            path += name == "PYTHONPATH" ? ":" + value : "";
        execution.environment.emplace_back("PYTHONPATH", path);
    });
    if (!taken)
        return tl::unexpected(taken.error());
    if (taken->outcome != Taken::Outcome::ok)
        failed_.push_back(fmt::format("workload {}: {}", printable(workload.name), taken->reason));
    return {};
}

/// gcov reads its own files in the sandbox: they are the candidate's.
Result<void> Look::read_counters() {
    auto out = folder();
    if (!out)
        return tl::unexpected(out.error());
    Execution execution =
        project_execution(*bench_->project, *bench_->workspace, Phase::judge, bench_->project->timeouts.test);
    // Objects that do not name a changed file are left out: their counters can be hundreds of megabytes.
    execution.argv = {
        "/bin/sh", "-c",
        "find /build -name '*.gcda' -type f | wc -l > /out/count\n"
        "find /build -name '*.gcno' -type f | while IFS= read -r notes; do\n"
        "  for name; do\n"
        "    if grep -q -F -e \"$name\" \"$notes\"; then gcov --json-format --stdout \"$notes\"; break; fi\n"
        "  done\n"
        "done > /out/lines 2> /out/errors\n",
        "sh"};
    for (const Changed& file : files_)
        if (is_compiled(file.path))
            execution.argv.push_back(fs::path(file.path).filename().string());
    execution.folder = "/out";
    execution.mounts.push_back({arm_.artifact.source, "/source", false});
    execution.mounts.push_back({arm_.artifact.build, "/build", false});
    execution.mounts.push_back({*out, "/out", true});
    auto result = bench_->runner->execute(execution, bench_->watch->at_once);
    if (!result)
        return tl::unexpected(result.error());
    if (result->ending == Ending::killed)
        return killed("read the coverage", *bench_->watch);
    constexpr std::uint64_t most = 128ULL << 20;
    const auto lines = read_output(*out, "lines", most), count = read_output(*out, "count", 100);
    if (!result->ok() || !lines || !*lines || !count || !*count)
        no_counters_ = "gcov's answer cannot be read: " + printable(result->reason);
    else if ((*count)->find_first_of("123456789") == std::string::npos)
        no_counters_ = "no run left counters behind: the build does not take CFLAGS, CXXFLAGS and LDFLAGS from its "
                       "environment, or its programs do not end by themselves";
    else
        add_gcov(**lines, seen_);
    return {};
}

std::string Look::why_unknown(const Changed& file) const {
    if (!is_python(file.path) && !is_compiled(file.path))
        return "no way is known to follow it";
    const Language language = language_of(file.path);
    for (const Changed& other : files_) // a #line can name any file
        if ((is_python(other.path) || is_compiled(other.path)) && language_of(other.path) == language)
            if (const std::string why = renames_lines(other.text, language); !why.empty())
                return (other.path == file.path ? "" : printable(other.path) + ": ") + why;
    if (const std::string why = hides_lines(file.text, language, file.lines); !why.empty())
        return why;
    if (!counts_of(seen_, file.path).empty())
        return "";
    if (language == Language::python)
        return "no run of a workload loaded it in a Python that told";
    return no_counters_.empty() ? "nothing that was compiled with --coverage names it" : no_counters_;
}

void Look::add_lines(const Changed& file, Coverage& coverage) const {
    const FileCounts seen = counts_of(seen_, file.path);
    const Language language = language_of(file.path);
    const LineKinds kinds = line_kinds(file.text, language);
    std::vector<std::size_t> missed, untold, partial;
    for (const std::size_t line : file.lines) {
        const auto found = seen.find(line);
        if (found == seen.end()) {
            if (!kinds.silent.contains(line))
                untold.push_back(line);
            continue;
        }
        ++coverage.lines;
        if (found->second == 0)
            missed.push_back(line);
        else if (kinds.partial.contains(line))
            partial.push_back(line);
        else
            ++coverage.run;
    }
    const std::string name = printable(file.path) + " ";
    if (!missed.empty())
        coverage.not_run.push_back(name + lines_text(missed));
    if (!untold.empty())
        coverage.unknown.push_back(
            name + lines_text(untold) +
            (language == Language::python ? ", which Python's trace does not name" : ", which gcov does not name"));
    if (!partial.empty())
        coverage.unknown.push_back(name + lines_text(partial) + ", of which code inside may run later or never");
}

Coverage Look::summary() const {
    Coverage coverage;
    for (const Changed& file : files_) {
        coverage.changed += file.lines.size();
        if (const std::string why = why_unknown(file); !why.empty())
            coverage.unknown.push_back(printable(file.path) + ": " + why);
        else
            add_lines(file, coverage);
    }
    for (const std::string& failure : failed_)
        coverage.unknown.push_back(failure);
    if (served_ && !coverage.not_run.empty())
        coverage.unknown.emplace_back("a server that a signal ends tells nothing of what it ran");
    return coverage;
}

Result<Coverage> Look::run(const std::vector<const Workload*>& workloads) {
    Result<void> done;
    if (any(is_compiled))
        done = build();
    if (done && any(is_python))
        done = follow_python();
    for (const Workload* workload : workloads) {
        if (!done || (!counting_ && python_.empty()))
            break;
        if (bench_->watch->after_sample.stop_requested())
            return tl::unexpected(stopped_on_request("look for lines that no workload runs"));
        done = run_workload(*workload);
    }
    if (done && counting_)
        done = read_counters();
    if (!done)
        return tl::unexpected(done.error());
    if (!python_.empty())
        add_python(python_, seen_);
    return summary();
}

} // namespace

std::string lines_text(const std::vector<std::size_t>& lines) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t last = i;
        while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1)
            ++last;
        parts.push_back(last == i ? std::to_string(lines[i]) : fmt::format("{}-{}", lines[i], lines[last]));
        i = last + 1;
    }
    constexpr std::size_t shown = 12;
    const std::string more = parts.size() > shown ? fmt::format(" and {} more places", parts.size() - shown) : "";
    parts.resize(std::min(parts.size(), shown));
    return fmt::format("line{} {}{}", lines.size() == 1 ? "" : "s", fmt::join(parts, ", "), more);
}

std::string Coverage::text() const {
    std::vector<std::string> parts;
    if (!not_run.empty())
        parts.push_back(
            fmt::format("{} {} run by no workload", fmt::join(not_run, "; "),
                        not_run.size() == 1 && not_run.front().find(" line ") != std::string::npos ? "is" : "are"));
    else if (lines > 0 && unknown.empty())
        parts.push_back(
            fmt::format("each of {} changed line{} with code of its own ({} changed) was run, at least in part, by a "
                        "workload",
                        lines, lines == 1 ? "" : "s", changed));
    else if (run > 0)
        parts.push_back(fmt::format("{} of {} changed lines {} run, at least in part, by a workload", run, changed,
                                    run == 1 ? "was" : "were"));
    else if (unknown.empty())
        parts.push_back(fmt::format("none of {} changed line{} has code of its own", changed, changed == 1 ? "" : "s"));
    if (!unknown.empty())
        parts.push_back(fmt::format(
            "{}: {}", run > 0 || !not_run.empty() ? "could not be told" : "coverage of the changed lines is unknown",
            fmt::join(unknown, "; ")));
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string Coverage::json() const {
    return nlohmann::json{
        {"changed", changed}, {"lines", lines}, {"run", run}, {"not-run", not_run}, {"unknown", unknown}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<Coverage> coverage_of(Bench& bench, const Arm& candidate, const git::PlacedPatch& patch,
                             const std::vector<const Workload*>& workloads) {
    auto files = changed_lines(patch, bench.repository->prefix());
    if (!files)
        return tl::unexpected(files.error());
    return Look(bench, candidate, std::move(*files)).run(workloads);
}

} // namespace holdfast::study
