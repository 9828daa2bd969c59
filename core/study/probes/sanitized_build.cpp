// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/sanitized_build.hpp"

#include "core/project/knobs.hpp"
#include "core/study/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>
#include <set>
#include <system_error>

namespace holdfast::study::probes {

namespace fs = std::filesystem;

const std::array<Sanitizer, 3> sanitizers{
    Sanitizer{"address", "-fsanitize=address -fsanitize-recover=address -fno-omit-frame-pointer -g", "__asan_init",
              true},
    Sanitizer{"undefined", "-fsanitize=undefined -fsanitize-recover=undefined -fno-omit-frame-pointer -g", "ubsan",
              true, "-ftrivial-auto-var-init=pattern"},
    Sanitizer{"thread", "-fsanitize=thread -fno-omit-frame-pointer -g", "__tsan_init", false}};

namespace {

bool is_compiler(const std::string& name) {
    static const std::regex pattern(
        "([a-z0-9_]+-linux-gnu-)?(cc|c\\+\\+|c89|c99|gcc|g\\+\\+|clang|clang\\+\\+)(-[0-9.]+)?");
    return std::regex_match(name, pattern);
}

std::string wrapper(const std::string& compiler, const Sanitizer& sanitizer) {
    std::string script = "#!/bin/sh\n";
    const std::string more = sanitizer.where_known;
    if (!more.empty())
        script += fmt::format("more=\n{} {} -x c -E /dev/null >/dev/null 2>&1 && more={}\n", compiler, more, more);
    return script + fmt::format("exec {} \"$@\" {}{}\n", compiler, sanitizer.flags, more.empty() ? "" : " $more");
}

/// Programs with the compilers' names that call them with more flags.
Result<void> write_wrappers(const fs::path& folder, const Sanitizer& sanitizer) {
    std::set<std::string> seen;
    for (const char* place : {"/usr/local/bin", "/usr/bin"}) { // in PATH's order: the first of a name is what runs
        std::error_code code;
        for (auto entry = fs::directory_iterator(place, code); !code && entry != fs::directory_iterator();
             entry.increment(code)) {
            const std::string name = entry->path().filename().string();
            if (!is_compiler(name) || !seen.insert(name).second)
                continue;
            auto done = write_file(folder / name, wrapper(entry->path().string(), sanitizer));
            if (!done)
                return done;
            std::error_code ignored;
            fs::permissions(folder / name, fs::perms(0755), ignored);
        }
    }
    return {};
}

/// Whether some built program or library holds the sanitizer.
Result<bool> holds(const fs::path& build, const char* symbol) {
    constexpr std::uint64_t largest = 256ULL << 20;
    auto files = hash_executables(build);
    if (!files)
        return tl::unexpected(files.error());
    for (const auto& [name, hash] : *files)
        if (auto bytes = read_output(build, name, largest);
            bytes && *bytes && (*bytes)->find(symbol) != std::string::npos)
            return true;
    return false;
}

} // namespace

Result<SanitizedBuild> build_sanitized(const Bench& bench, const Arm& arm, const Sanitizer& sanitizer) {
    auto wrappers = ScratchFolder::make(*bench.workspace), place = ScratchFolder::make(*bench.workspace);
    if (!wrappers || !place)
        return tl::unexpected(wrappers ? place.error() : wrappers.error());
    auto done = write_wrappers(wrappers->path(), sanitizer);
    if (done)
        done = bench.runner->give(wrappers->path());
    if (!done)
        return tl::unexpected(done.error());
    auto failure = build_beside(*bench.project, *bench.workspace, *bench.runner, *bench.watch, arm.artifact.source,
                                arm.configuration,
                                {{"PATH", "/compilers:/usr/local/bin:/usr/bin:/bin"},
                                 // Programs that the build itself runs must not fail it.
                                 {"ASAN_OPTIONS", "halt_on_error=0:exitcode=0:detect_leaks=0"},
                                 {"TSAN_OPTIONS", "halt_on_error=0:exitcode=0"}},
                                place->path(), {{wrappers->path(), "/compilers", false}});
    if (!failure)
        return tl::unexpected(failure.error());
    if (!failure->empty())
        return SanitizedBuild{std::nullopt, "does not build with it: " + *failure};
    auto held = holds(place->path(), sanitizer.symbol);
    if (!held)
        return tl::unexpected(held.error());
    if (!*held)
        return SanitizedBuild{std::nullopt, "makes no program that holds it"};
    return SanitizedBuild{std::move(*place), ""};
}

Result<KnownBaseline*> KnownBaselines::of(const Bench& bench, const Sanitizer& sanitizer) {
    const Arm& baseline = bench.baseline;
    std::string key = fmt::format("{}\n{}\n", sanitizer.name, baseline.artifact.source.string());
    for (const Argv& argv : build_commands(*bench.project, baseline.configuration))
        key += fmt::format("{}\n", fmt::join(argv, std::string_view("\0", 1)));
    if (const auto known = known_.find(key); known != known_.end())
        return &known->second;
    auto built = build_sanitized(bench, baseline, sanitizer);
    if (!built)
        return tl::unexpected(built.error());
    return &known_.emplace(key, KnownBaseline{std::move(*built), {}, {}}).first->second;
}

KnownBaselines& known_baselines(Bench& bench) {
    if (!bench.sanitized)
        bench.sanitized = std::make_shared<KnownBaselines>();
    return *bench.sanitized;
}

} // namespace holdfast::study::probes
