// SPDX-License-Identifier: GPL-3.0-or-later
// Cargo.toml: binaries, benches, whether crates from elsewhere are needed. Nothing is fetched while building.
#include "app/common/init/found.hpp"
#include "app/common/init/toml_lines.hpp"
#include "core/project/config_file.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace holdfast::app::init {

namespace {

class Reading {
public:
    explicit Reading(const Seen& seen) : seen_(seen), text_(seen.text("Cargo.toml")), lines_(toml_lines(text_)) {}

    std::optional<Found> run() {
        if (seen_.file("Cargo.toml") == nullptr)
            return std::nullopt;
        found_.kind = "Cargo";
        found_.file = "Cargo.toml";
        found_.name = toml_value(lines_, "package", "name");
        programs();
        build();
        knobs();
        return std::move(found_);
    }

private:
    bool has_table(std::string_view table) const {
        return std::any_of(lines_.begin(), lines_.end(), [&](const TomlLine& line) { return line.table == table; });
    }

    void add(const std::string& name, const std::string& source) {
        if (!name.empty() && std::none_of(found_.programs.begin(), found_.programs.end(),
                                          [&](const Runnable& program) { return program.name == name; }))
            found_.programs.push_back({name, {"{build}/release/" + name}, source});
    }

    void programs() {
        if (seen_.file("src/main.rs") != nullptr)
            add(found_.name, "src/main.rs");
        for (std::size_t i = 0; i < lines_.size(); ++i)
            if (lines_[i].table == "bin" && lines_[i].key.empty()) {
                std::string name, path;
                for (std::size_t k = i + 1; k < lines_.size() && !lines_[k].key.empty(); ++k)
                    (lines_[k].key == "name" ? name : path) = toml_text(lines_[k].value);
                add(name, seen_.file(path) != nullptr ? path : "src/main.rs");
            }
        for (const SeenFile& file : seen_.files)
            if (folder_of(file.path) == "src/bin" && extension_of(file.path) == ".rs")
                add(stem_of(file.path), file.path);
    }

    /// Crates that are neither in the folder nor vendored.
    bool needs_crates() const {
        if (seen_.file(".cargo/config.toml") != nullptr &&
            seen_.text(".cargo/config.toml").find("vendored-sources") != std::string::npos)
            return false;
        return std::any_of(lines_.begin(), lines_.end(), [](const TomlLine& line) {
            const bool dependency = line.table == "dependencies" || line.table == "build-dependencies" ||
                                    line.table == "dev-dependencies" || line.table == "workspace.dependencies";
            return (dependency && !line.key.empty() && line.value.find("path") == std::string::npos) ||
                   line.table.starts_with("dependencies.");
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
        found_.build.push_back(command({"cargo", "build", "--release"}));
        found_.build_why = "Cargo without network, on a copy: {source} is read-only.";
        found_.test = {command({"cargo", "test"})};
        found_.test_why = "the tests that Cargo finds.";
        std::error_code code;
        if (!std::filesystem::exists("/usr/bin/cargo", code) && !std::filesystem::exists("/usr/local/bin/cargo", code))
            found_.notes.emplace_back(
                "The sandbox sees no cargo: it is not in /usr/bin. Install the distribution's "
                "package, or name your toolchain's folder in sandbox.read and its program in build.");
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
    Found found_;
};

} // namespace

std::optional<Found> find_cargo(const Seen& seen) {
    return Reading(seen).run();
}

} // namespace holdfast::app::init
