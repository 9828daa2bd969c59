// SPDX-License-Identifier: GPL-3.0-or-later
// Reads holdfast.json and the held-out file, part by part, then checks what one part says about another.
#include "core/project/grammar.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast {

namespace {

constexpr std::size_t largest_file = std::size_t{4} << 20;
const std::string project_file = "holdfast.json";
const std::vector<std::string> project_keys{
    "name",        "build",  "timeouts", "metrics",  "objective", "limits", "workloads", "holdout-file", "knobs",
    "constraints", "search", "code",     "decision", "sandbox",   "review", "fetch",     "probe"};

struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0)
            ::close(number);
    }
};

tl::unexpected<JsonFault> unreadable(std::string found, std::string allowed) {
    return tl::unexpected<JsonFault>(JsonFault{0, 0, "", std::move(found), std::move(allowed)});
}

/// A file's bytes; nothing when there is no such file.
using Text = tl::expected<std::optional<std::string>, JsonFault>;
/// Gives the text of a file, named by its path below the project's folder.
using Source = std::function<Text(const std::string& name)>;

Text read_file(const std::filesystem::path& path) {
    // O_NONBLOCK: opening a pipe that nobody writes must not wait for ever.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0 && errno == ENOENT)
        return std::nullopt;
    if (file.number < 0)
        return unreadable(fmt::format("a file that cannot be opened ({})", std::strerror(errno)), "a readable file");
    struct stat status {};
    if (::fstat(file.number, &status) != 0)
        return unreadable(std::strerror(errno), "a readable file");
    if (!S_ISREG(status.st_mode))
        return unreadable(S_ISDIR(status.st_mode) ? "a folder" : "something that is no regular file", "a file");
    std::string text(largest_file + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t count = ::read(file.number, text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return unreadable(fmt::format("a file that cannot be read ({})", std::strerror(errno)), "a readable file");
        if (count == 0)
            break;
        size += static_cast<std::size_t>(count);
    }
    if (size > largest_file)
        return unreadable("a file of more than 4 MiB", "at most 4 MiB");
    text.resize(size);
    return text;
}

/// What a loader says that finds no project file.
Text read_project_file(const std::filesystem::path& folder) {
    auto text = read_file(folder / project_file);
    if (!text || *text)
        return text;
    return unreadable(std::filesystem::is_directory(folder)
                          ? "no such file"
                          : fmt::format("no such file: there is no folder {}", printable(folder.string())),
                      "a holdfast.json; docs/guide.md shows one, `holdfast demo` makes an example");
}

std::string without_comments(std::string_view text) {
    return nlohmann::json::parse(text.begin(), text.end(), nullptr, false, true).dump();
}

std::vector<Problem> in_order(std::vector<Problem> problems) {
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return problems;
}

class Loader {
public:
    /// `frozen`: what a study of an older version took is not asked for the words that came later.
    Loader(const std::filesystem::path& folder, Source source, bool frozen = false)
        : source_(std::move(source)), reader_(folder / project_file), frozen_(frozen) {
        project_.folder = folder;
        add_standard_metrics(project_);
    }

    tl::expected<Project, std::vector<Problem>> run() {
        std::vector<Problem> problems;
        const auto text = read_project_file();
        std::string holdout = "null";
        if (text) {
            Reader holdout_reader(project_.folder / project_.holdout_file);
            holdout = read_holdout_file(holdout_reader).value_or("null");
            add_counted_metrics(project_);
            check_metric_names();
            check_knob_files();
            problems = holdout_reader.take_problems();
        }
        auto first = in_order(reader_.take_problems());
        problems = in_order(std::move(problems));
        problems.insert(problems.begin(), first.begin(), first.end());
        if (!problems.empty())
            return tl::unexpected(std::move(problems));
        std::stable_partition(project_.workloads.begin(), project_.workloads.end(),
                              [](const Workload& workload) { return workload.role == Role::tuning; });
        project_.canonical = canonical_json(fmt::format(R"({{"project":{},"holdout":{}}})", *text, holdout));
        return std::move(project_);
    }

private:
    /// The file without comments; nothing when it is not even an object.
    std::optional<std::string> read_project_file() {
        const Text text = source_(project_file);
        auto document = text ? parse_json(**text) : tl::unexpected(text.error());
        if (!document) {
            reader_.problem(document.error());
            return std::nullopt;
        }
        for (const JsonFault& duplicate : document->duplicates)
            reader_.problem(duplicate);
        root_ = std::move(document->root);
        const Spot root{&root_, ""};
        if (!reader_.object(root, project_keys))
            return std::nullopt;
        read_parts(root);
        return without_comments(**text);
    }

    void read_parts(const Spot& root) {
        const auto part = [&](std::string_view key, const auto& read) {
            if (const Spot spot = Reader::find(root, key))
                read(spot);
        };
        if (const Spot name = reader_.need(root, "name", "the project's name"))
            project_.name = reader_.name(name).value_or("");
        part("fetch", [&](const Spot& spot) { read_fetch(reader_, spot, project_); });
        part("build", [&](const Spot& spot) { read_build(reader_, spot, project_); });
        part("timeouts", [&](const Spot& spot) { read_timeouts(reader_, spot, project_.timeouts); });
        part("metrics", [&](const Spot& spot) { read_metrics(reader_, spot, project_); });
        project_.objectives = {"wall"};
        part("objective", [&](const Spot& spot) { read_objective(reader_, spot, project_); });
        project_.objective = project_.objectives.front();
        part("limits", [&](const Spot& spot) { read_limits(reader_, spot, project_); });
        part("code", [&](const Spot& spot) { read_code(reader_, spot, project_); });
        part("decision", [&](const Spot& spot) { read_decision(reader_, spot, project_.decision); });
        part("sandbox", [&](const Spot& spot) { read_sandbox(reader_, spot, project_.sandbox); });
        part("probe", [&](const Spot& spot) { read_probe(reader_, spot, project_.probe); });
        part("review", [&](const Spot& spot) { read_review(reader_, spot, project_.review); });
        bool knobs = true;
        part("knobs", [&](const Spot& spot) { knobs = read_knobs(reader_, spot, project_); });
        if (knobs) // else every constraint would be reported for names that are only misspelled where they are declared
            part("constraints", [&](const Spot& spot) { read_constraints(reader_, spot, project_); });
        part("search", [&](const Spot& spot) { read_search(reader_, spot, project_, project_.search); });
        if (const Spot workloads = reader_.need(root, "workloads", "an array with at least one workload")) {
            read_workloads(reader_, workloads, false, project_);
            if (workloads.node->kind == JsonNode::Kind::array && project_.with_role(Role::tuning).empty())
                reader_.problem(workloads, "no workload with the role \"tuning\"",
                                "at least one that tuners may measure");
        }
        project_.holdout_file = ".holdfast/holdout.json";
        part("holdout-file", [&](const Spot& spot) {
            const std::string allowed = "the path of another file inside the project folder, without \"..\"";
            const auto path = reader_.relative_path(spot, allowed);
            if (path == project_file)
                reader_.wrong(spot, allowed);
            else if (path) {
                project_.holdout_file = *path;
                holdout_named_ = true;
            }
        });
    }

    /// The file without comments; nothing when there is none or it is wrong.
    std::optional<std::string> read_holdout_file(Reader& reader) {
        const Text text = source_(project_.holdout_file);
        if (text && !*text) {
            // Without the file a win could not be told from overfitting, so a named one must not go missing in silence.
            if (holdout_named_)
                reader_.problem(Reader::find(Spot{&root_, ""}, "holdout-file"),
                                fmt::format("the file \"{}\", which does not exist", printable(project_.holdout_file)),
                                "the path of the file with the held-out workloads");
            return std::nullopt;
        }
        const auto document = text ? parse_json(**text) : tl::unexpected(text.error());
        if (!document) {
            reader.problem(document.error());
            return std::nullopt;
        }
        for (const JsonFault& duplicate : document->duplicates)
            reader.problem(duplicate);
        const Spot root{&document->root, ""};
        if (!reader.object(root, {"workloads"}))
            return std::nullopt;
        if (const Spot workloads = reader.need(root, "workloads", "an array of held-out workloads"))
            read_workloads(reader, workloads, true, project_);
        return without_comments(**text);
    }

    /// A knob's file is part of what a candidate is; what all candidates share, or none may see, cannot be.
    void check_knob_files() {
        const Spot knobs = Reader::find(Spot{&root_, ""}, "knobs");
        for (std::size_t i = 0; i < project_.knobs.size(); ++i) {
            const Knob& knob = project_.knobs[i];
            if (knob.through != Knob::Through::file || knob.target.empty())
                continue;
            bool shared = knob.target == project_.holdout_file;
            for (const Workload& workload : project_.workloads)
                for (const std::string& input : workload.inputs)
                    shared = shared || path_below(input) == knob.target;
            const Spot item{&knobs.node->children[i], fmt::format("{}/{}", knobs.pointer, i)};
            if (shared)
                reader_.wrong(Reader::find(Reader::find(item, "through"), "file"),
                              "a file that is neither a workload's input nor the held-out file");
        }
    }

    void check_metric_names() {
        const Spot root{&root_, ""};
        if (const Spot metrics = Reader::find(root, "metrics"))
            for (const Spot& metric : Reader::members(metrics))
                if (const Spot workloads = Reader::find(metric, "workloads"))
                    check_workload_names(workloads);
        if (const Spot objective = Reader::find(root, "objective"))
            check_objectives(objective);
        check_self_reported(Reader::find(root, "objective"));
        if (const Spot limits = Reader::find(root, "limits"))
            for (const Spot& limit : Reader::members(limits))
                check_reported(limit, limit.node->key, true);
    }

    /// A program can tell of itself what it likes, so its word alone decides only where a person said so.
    void check_self_reported(const Spot& objective) {
        std::vector<std::string> open;
        for (const std::string& name : project_.objectives) {
            const auto metric = std::find_if(project_.metrics.begin(), project_.metrics.end(),
                                             [&](const Metric& each) { return each.name == name; });
            if (metric == project_.metrics.end() || !metric->self_reported())
                return;
            if (!metric->accept_self_reported)
                open.push_back(name);
        }
        if (frozen_ || open.empty() || !objective)
            return;
        reader_.problem(
            objective,
            fmt::format("the metric \"{}\", a number that the measured program tells of itself, as the only "
                        "objective",
                        printable(open.front())),
            "wall, cpu or another metric that Holdfast measures; or write \"accept-self-reported\": true in "
            "that metric: you accept that a change may improve what is told and not what is");
    }

    void check_objectives(const Spot& at) {
        if (at.node->kind == JsonNode::Kind::text)
            check_reported(at, project_.objective, false);
        for (std::size_t i = 0; i < at.node->children.size(); ++i)
            if (const JsonNode& item = at.node->children[i]; item.kind == JsonNode::Kind::text)
                check_reported({&item, fmt::format("{}/{}", at.pointer, i)}, item.text, false);
    }

    void check_workload_names(const Spot& at) {
        std::vector<std::string> names;
        for (const Workload& workload : project_.workloads)
            if (!workload.name.empty())
                names.push_back(workload.name);
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < at.node->children.size(); ++i) {
            const JsonNode& item = at.node->children[i];
            const Spot spot{&item, fmt::format("{}/{}", at.pointer, i)};
            if (item.kind != JsonNode::Kind::text)
                continue;
            if (std::find(names.begin(), names.end(), item.text) == names.end())
                unknown(spot, fmt::format("the unknown workload \"{}\"", printable(item.text)), item.text, names);
            else if (std::find(seen.begin(), seen.end(), item.text) != seen.end())
                reader_.problem(spot, fmt::format("the workload \"{}\" a second time", item.text), "each name once");
            seen.push_back(item.text);
        }
    }

    /// The objective and the limits decide on every workload, so each of them must report the metric.
    void check_reported(const Spot& at, const std::string& name, bool at_key) {
        std::vector<std::string> names;
        for (const Metric& metric : project_.metrics)
            names.push_back(metric.name);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.insert(names.end(), {"instructions", "energy"}); // they exist once they are named
            if (name == names.back() || name == *(names.end() - 2))
                return; // what names it is wrong in another way, which is told
            unknown(at, fmt::format("the unknown metric \"{}\"", printable(name)), name, names, at_key);
            return;
        }
        const std::vector<std::string>& reporting = project_.metric(name).workloads;
        for (const Workload& workload : project_.workloads) {
            if (reporting.empty() || std::find(reporting.begin(), reporting.end(), workload.name) != reporting.end())
                continue;
            report(at, fmt::format("the metric \"{}\", which the workload \"{}\" does not report", name, workload.name),
                   "a metric that every workload reports", at_key);
            return;
        }
    }

    void unknown(const Spot& at, std::string found, std::string_view name, const std::vector<std::string>& names,
                 bool at_key = false) {
        const std::string near = nearest(name, names);
        report(at, std::move(found),
               near.empty() ? one_of(names) : fmt::format("{} (nearest: \"{}\")", one_of(names), near), at_key);
    }

    void report(const Spot& at, std::string found, std::string allowed, bool at_key) {
        if (at_key)
            reader_.problem_at_key(at, std::move(found), std::move(allowed));
        else
            reader_.problem(at, std::move(found), std::move(allowed));
    }

    Source source_;
    Project project_;
    Reader reader_;
    JsonNode root_;
    bool holdout_named_ = false; ///< by a path that may be used
    bool frozen_ = false;
};

std::filesystem::path absolute_folder(const std::filesystem::path& folder) {
    std::error_code error;
    auto absolute = std::filesystem::absolute(folder, error).lexically_normal();
    if (!absolute.has_filename()) // "dir/" and "."
        absolute = absolute.parent_path();
    return absolute;
}

} // namespace

tl::expected<Project, std::vector<Problem>> load_project(const std::filesystem::path& folder) {
    const auto absolute = absolute_folder(folder);
    return Loader(absolute,
                  [&](const std::string& name) {
                      return name == project_file ? read_project_file(absolute) : read_file(absolute / name);
                  })
        .run();
}

tl::expected<Project, std::vector<Problem>>
load_project(const std::filesystem::path& folder,
             const std::function<std::optional<std::string>(const std::string& path)>& read) {
    return Loader(absolute_folder(folder),
                  [&](const std::string& name) -> Text {
                      auto text = read(name);
                      if (!text && name == project_file)
                          return unreadable("no such file in the commit", "a holdfast.json that is committed");
                      if (text && text->size() > largest_file)
                          return unreadable("a file of more than 4 MiB", "at most 4 MiB");
                      return text;
                  })
        .run();
}

tl::expected<Project, std::vector<Problem>> project_from_frozen(const std::filesystem::path& folder,
                                                                const std::string& frozen_json) {
    const auto absolute = absolute_folder(folder);
    const auto foreign = [&] {
        return tl::unexpected(std::vector<Problem>{{absolute / project_file, 0, 0, "",
                                                    "a frozen text that no study of this Holdfast wrote",
                                                    "the project and the held-out file as canonical JSON"}});
    };
    const auto frozen = parse_json(frozen_json);
    const JsonNode* project = frozen ? frozen->root.member("project") : nullptr;
    const JsonNode* holdout = frozen ? frozen->root.member("holdout") : nullptr;
    if (project == nullptr || holdout == nullptr)
        return foreign();
    const auto parts = nlohmann::json::parse(frozen_json, nullptr, false);
    auto loaded = Loader(
                      absolute,
                      [&](const std::string& name) -> Text {
                          const nlohmann::json& part = parts.at(name == project_file ? "project" : "holdout");
                          return part.is_null() ? Text(std::nullopt) : Text(part.dump());
                      },
                      true)
                      .run();
    if (loaded && loaded->canonical != frozen_json)
        return foreign();
    return loaded;
}

} // namespace holdfast
