// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/burden.hpp"

#include "core/study/burden_names.hpp"
#include "core/study/files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace holdfast::study {

namespace fs = std::filesystem;
namespace names = burden_names;

const char* const burnt_metric = " burnt"; // names of metrics do not begin with a blank

Result<Burdening> make_burdening(const Workspace& workspace, Runner& runner, const fs::path& library) {
    constexpr std::uint64_t most = 16ULL << 20;
    auto bytes = read_output(library.parent_path(), library.filename().string(), most);
    if (!bytes)
        return tl::unexpected(bytes.error());
    if (!*bytes)
        return failed("slow a program down by a known share", library.string() + " is not there",
                      "Install holdfast's helper programs beside it");
    auto place = workspace.scratch();
    if (!place)
        return tl::unexpected(place.error());
    auto folder = workspace.scratch();
    if (!folder)
        return tl::unexpected(folder.error());
    auto done = write_file(*place / library.filename(), **bytes);
    if (done)
        done = runner.give(*place);
    if (!done)
        return tl::unexpected(done.error());
    return Burdening{0, *place / library.filename(), *folder, false};
}

void add_burdening(const Burdening& burdening, Execution& execution) {
    auto& environment = execution.environment;
    const auto set = [&](const char* name, std::string value) {
        const auto found =
            std::find_if(environment.begin(), environment.end(), [&](const auto& all) { return all.first == name; });
        if (found == environment.end())
            environment.emplace_back(name, std::move(value));
        else
            found->second = value + (found->second.empty() ? "" : ":" + found->second);
    };
    set("LD_PRELOAD", names::library);
    environment.emplace_back(names::share, std::to_string(std::llround(burdening.share * 1e6)));
    environment.emplace_back(names::clock, burdening.processor ? names::processor_clock : names::wall_clock);
    environment.emplace_back(names::root, names::nobody);
    execution.mounts.push_back({burdening.library, names::library, false});
    execution.mounts.push_back({burdening.folder, names::folder, true});
}

Result<std::chrono::nanoseconds> take_burnt(const Burdening& burdening, std::chrono::nanoseconds wall) {
    constexpr std::uint64_t most = 1 << 16;
    auto text = read_output(burdening.folder, names::marks, most);
    if (!text)
        return tl::unexpected(text.error());
    std::int64_t burnt = 0;
    if (*text) {
        // One line; a program that writes others itself is no worse than one that burns nothing.
        const auto [end, fault] = std::from_chars((*text)->data(), (*text)->data() + (*text)->size(), burnt);
        if (fault != std::errc() || end == (*text)->data() + (*text)->size() || *end != ' ')
            burnt = 0;
    }
    if (auto cleared = empty_folder(burdening.folder); !cleared)
        return tl::unexpected(cleared.error());
    return std::clamp(std::chrono::nanoseconds(burnt), std::chrono::nanoseconds(0), wall);
}

} // namespace holdfast::study
