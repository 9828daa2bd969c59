// SPDX-License-Identifier: GPL-3.0-or-later
// Cargo.toml: binaries, benches, whether crates from elsewhere are needed. Nothing is fetched while building.
#include "app/common/init/found.hpp"
#include "app/common/init/toml_lines.hpp"
#include "app/common/init/words.hpp"
#include "core/git/repository.hpp"
#include "core/project/config_file.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace holdfast::app::init {

namespace {

constexpr std::size_t most_crates = 200;

class Reading {
public:
    explicit Reading(const Seen& seen) : seen_(seen), text_(seen.text("Cargo.toml")), lines_(toml_lines(text_)) {}

    std::optional<Found> run() {
        if (seen_.file("Cargo.toml") == nullptr)
            return std::nullopt;
        found_.kind = "Cargo";
        found_.file = "Cargo.toml";
        found_.name = toml_value(lines_, "package", "name");
        read_crates();
        programs();
        build();
        knobs();
        // A crate's description says which tests there are.
        found_.judges = {"**/benches/**", "**/tests.rs", "**/bench*.rs", "**/Cargo.toml", "**/.cargo/**"};
        return std::move(found_);
    }

private:
    struct Crate {
        std::string folder; ///< "" for the folder itself
        std::vector<TomlLine> lines;
    };

    bool has_table(std::string_view table) const {
        return std::any_of(lines_.begin(), lines_.end(), [&](const TomlLine& line) { return line.table == table; });
    }

    void add(const std::string& name, const std::string& source) {
        if (!name.empty() && std::none_of(found_.programs.begin(), found_.programs.end(),
                                          [&](const Runnable& program) { return program.name == name; }))
            found_.programs.push_back({name, {"{build}/release/" + name}, source});
    }

    /// Of the crates: the folder's own, then the members of its workspace.
    void read_crates() {
        crates_.push_back({"", lines_});
        for (const std::string& pattern : quoted_texts(toml_value(lines_, "workspace", "members")))
            for (const SeenFile& file : seen_.files) {
                const std::string folder = folder_of(file.path);
                const bool known = std::any_of(crates_.begin(), crates_.end(),
                                               [&](const Crate& crate) { return crate.folder == folder; });
                if (name_of(file.path) == "Cargo.toml" && !known && crates_.size() < most_crates &&
                    git::matches(pattern, folder))
                    crates_.push_back({folder, toml_lines(seen_.text(file.path))});
            }
    }

    static std::vector<std::string> quoted_texts(const std::string& list) {
        std::vector<std::string> texts;
        for (auto open = list.find('"'); open != std::string::npos;) {
            const auto close = list.find('"', open + 1);
            if (close == std::string::npos)
                break;
            std::string text = list.substr(open + 1, close - open - 1);
            while (text.starts_with("./"))
                text.erase(0, 2);
            while (text.ends_with('/'))
                text.pop_back();
            texts.push_back(std::move(text));
            open = list.find('"', close + 1);
        }
        return texts;
    }

    bool workspace() const { return crates_.size() > 1 || toml_value(lines_, "workspace", "members") != ""; }

    void programs() {
        for (const Crate& crate : crates_)
            programs_of(crate);
        if (found_.programs.empty())
            found_.notes.push_back(workspace() ? "None of the workspace's members that were found has a src/main.rs, a "
                                                 "src/bin/*.rs or a [[bin]]."
                                               : "The crate has no src/main.rs, no src/bin/*.rs and no [[bin]].");
        if (found_.name.empty() && !found_.programs.empty())
            found_.name = found_.programs.front().name;
    }

    void programs_of(const Crate& crate) {
        const std::string root = crate.folder.empty() ? "" : crate.folder + "/";
        const auto& lines = crate.lines;
        if (seen_.file(root + "src/main.rs") != nullptr)
            add(toml_value(lines, "package", "name"), root + "src/main.rs");
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (lines[i].table == "bin" && lines[i].key.empty()) {
                std::string name, path;
                for (std::size_t k = i + 1; k < lines.size() && !lines[k].key.empty(); ++k)
                    if (lines[k].key == "name" || lines[k].key == "path")
                        (lines[k].key == "name" ? name : path) = toml_text(lines[k].value);
                add(name, root + (seen_.file(root + path) != nullptr ? path : "src/main.rs"));
            }
        for (const SeenFile& file : seen_.files)
            if (folder_of(file.path) == root + "src/bin" && extension_of(file.path) == ".rs")
                add(stem_of(file.path), file.path);
    }

    /// Crates that are neither in the folder nor vendored.
    bool needs_crates() const {
        if (seen_.file(".cargo/config.toml") != nullptr &&
            seen_.text(".cargo/config.toml").find("vendored-sources") != std::string::npos)
            return false;
        return std::any_of(crates_.begin(), crates_.end(), [](const Crate& crate) {
            return std::any_of(crate.lines.begin(), crate.lines.end(), [](const TomlLine& line) {
                const bool dependency = line.table == "dependencies" || line.table == "build-dependencies" ||
                                        line.table == "dev-dependencies" || line.table == "workspace.dependencies";
                // What a member takes from its workspace is listed there.
                const bool elsewhere = line.key.ends_with(".workspace") || has_word(line.value, "workspace");
                return (dependency && !line.key.empty() && !has_word(line.value, "path") && !elsewhere) ||
                       line.table.starts_with("dependencies.");
            });
        });
    }

    void build() {
        const bool crates = needs_crates();
        // On a copy: Cargo writes its lock file anew when there is none, or one that another version wrote.
        const std::string source = "{build}/source";
        std::vector<std::string> common = {"--offline", "--manifest-path", source + "/Cargo.toml", "--target-dir",
                                           "{build}"};
        if (crates) {
            found_.fetch = {{"cargo", "vendor", "--manifest-path", "{source}/Cargo.toml", "{deps}/vendor"}};
            for (const char* setting :
                 {"source.crates-io.replace-with=\"fetched\"", "source.fetched.directory=\"{deps}/vendor\""})
                common.insert(common.end(), {"--config", setting});
            found_.notes.emplace_back(
                "Cargo.toml names crates from elsewhere. They are fetched once, with network, only "
                "when you agree (see: holdfast measure --help); builds have no network.");
        }
        found_.build = {{"cp", "-a", "{source}/.", source}};
        if (seen_.file("Cargo.lock") == nullptr)
            found_.notes.emplace_back("There is no Cargo.lock: commit one, so that every build uses the same crates.");
        const auto command = [&](std::vector<std::string> words) {
            words.insert(words.end(), common.begin(), common.end());
            return words;
        };
        found_.build.push_back(command(whole({"cargo", "build", "--release"})));
        found_.build_why = "Cargo without network, on a copy: {source} is read-only.";
        found_.test = {command(whole({"cargo", "test"}))};
        found_.test_why = "the tests that Cargo finds.";
        std::error_code code;
        if (!std::filesystem::exists("/usr/bin/cargo", code) && !std::filesystem::exists("/usr/local/bin/cargo", code))
            found_.notes.emplace_back(
                "The sandbox sees no cargo: it is not in /usr/bin. Install the distribution's "
                "package, or name your toolchain's folder in sandbox.read and its program in build.");
    }

    /// With the members of a workspace.
    std::vector<std::string> whole(std::vector<std::string> words) const {
        if (workspace())
            words.emplace_back("--workspace");
        return words;
    }

    void knobs() {
        const std::string table = "profile.release";
        if (!has_table(table)) {
            found_.notes.emplace_back(
                "Cargo.toml has no [profile.release]: write that line and run init again to get its "
                "settings as knobs.");
            return;
        }
        const auto offer = [&](Knob knob, std::string key, std::string why) {
            knob.target = "Cargo.toml";
            knob.format = ConfigFormat::toml;
            knob.key = table + "." + key;
            // What cannot be set in this file is no knob.
            if (set_config(knob.format, text_, knob.key, knob.default_value))
                found_.knobs.push_back({std::move(knob), std::move(why)});
        };
        std::int64_t units = 16;
        const std::string written = toml_value(lines_, table, "codegen-units");
        std::from_chars(written.data(), written.data() + written.size(), units);
        offer(integer_knob("codegen_units", 1, std::max<std::int64_t>(16, units), std::max<std::int64_t>(1, units),
                           Knob::Through::file, ""),
              "codegen-units", "Fewer units build slower and are optimised better.");
        const std::string lto = toml_value(lines_, table, "lto");
        if (lto.empty() || lto == "true" || lto == "false") {
            Knob knob;
            knob.name = "lto";
            knob.type = Knob::Type::boolean;
            knob.default_value = lto == "true";
            knob.through = Knob::Through::file;
            offer(std::move(knob), "lto", "Optimising across crates when linking.");
        }
        const std::string level = toml_value(lines_, table, "opt-level");
        if (level.empty() || level == "2" || level == "3")
            offer(integer_knob("opt_level", 2, 3, level == "2" ? 2 : 3, Knob::Through::file, ""), "opt-level",
                  "The compiler's level.");
    }

    const Seen& seen_;
    const std::string text_;
    const std::vector<TomlLine> lines_;
    std::vector<Crate> crates_;
    Found found_;
};

} // namespace

std::optional<Found> find_cargo(const Seen& seen) {
    return Reading(seen).run();
}

} // namespace holdfast::app::init
