// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/cache_survey.hpp"

#include "app/common/places.hpp"
#include "core/project/text.hpp"
#include "core/study/workspace.hpp"
#include "db/lock.hpp"
#include "sandbox/alone.hpp"
#include "sandbox/machine_lock.hpp"
#include "sandbox/trash.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <system_error>

namespace holdfast::app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

const std::map<std::string, std::string> part_kinds = {
    {"trees", "exported trees"},
    {"builds", "builds"},
    {"inputs", "pinned inputs"},
    {"expected", "expected outputs"},
    {"runs", "scratch folders"},
    {"fetched", "fetched dependencies"},
    {"checked", "notes of checks that were tried"},
};

bool is_hash(const std::string& text, std::size_t digits) {
    return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

/// The names in `folder` that are no links to elsewhere followed; sorted.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
        names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

bool is_folder(const fs::path& path) {
    std::error_code code;
    return fs::symlink_status(path, code).type() == fs::file_type::directory;
}

class Surveyor {
public:
    Surveyor(const fs::path& cache, std::chrono::seconds keep)
        : keep_(keep),
          now_(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())) {
        survey_.cache = cache;
    }

    CacheSurvey look() {
        for (const std::string& name : names_in(survey_.cache)) {
            const bool folder = is_folder(survey_.cache / name);
            if (folder && name == sandbox::Trash::name)
                for (const std::string& left : names_in(survey_.cache / name))
                    add("left by a clean-up that was cut off", {name}, {left}, true);
            else if (folder && name.starts_with("bin-") && is_hash(name.substr(4), 16))
                add("copies of helper programs", {}, {name}, false, user_of(survey_.cache / name));
            else if (folder && (name.starts_with("canary-") || name == sandbox::alone_folder))
                add("scratch folders", {}, {name});
            else if (folder && is_hash(name, 16) && is_folder(survey_.cache / name / "trees"))
                look_at_workspace(name);
            else if (name != "lock" && name != sandbox::alone_lock)
                survey_.foreign.push_back(name);
        }
        return std::move(survey_);
    }

private:
    /// `always`: whatever its age. `why`: it stays whatever its age.
    void add(const std::string& kind, std::vector<std::string> place, std::vector<std::string> names,
             bool always = false, const std::string& why = "") {
        CacheItem item{kind, std::move(place), std::move(names), 0, true, 0s, false, why};
        fs::path folder = survey_.cache;
        for (const std::string& part : item.place)
            folder /= part;
        const sandbox::Descriptor parent = sandbox::open_folder(folder);
        std::int64_t changed = 0;
        for (const std::string& name : item.names)
            if (const auto size = sandbox::measure_tree(parent.get(), name)) {
                item.bytes += size->bytes;
                item.whole = item.whole && size->whole;
                changed = std::max(changed, size->changed);
            }
        item.age = std::max(now_ - std::chrono::seconds(changed), 0s);
        item.free = why.empty() && (always || item.age >= keep_);
        survey_.items.push_back(std::move(item));
    }

    /// Whose program is one of those in `folder`; "" when nobody runs one.
    static std::string user_of(const fs::path& folder) {
        std::error_code code;
        for (const std::string& process : names_in("/proc"))
            if (std::isdigit(static_cast<unsigned char>(process.front())) != 0 &&
                fs::read_symlink(fs::path("/proc") / process / "exe", code).parent_path() == folder)
                return "process " + process + " runs one";
        return "";
    }

    void look_at_workspace(const std::string& name) {
        const auto project = study::Workspace::project_of(survey_.cache / name);
        if (!project)
            return add("trees of an unknown project", {}, {name});
        std::error_code code;
        if (fs::status(*project, code).type() == fs::file_type::not_found)
            return add("trees of a project that is gone", {}, {name}); // or moved, or not mounted now: it may come back
        survey_.projects.push_back(*project);
        for (const std::string& part : names_in(survey_.cache / name)) {
            const auto kind = part_kinds.find(part);
            if (part == "ccache") // one thing: its parts refer to each other
                add("compiler caches", {name}, {part});
            else if (is_folder(survey_.cache / name / part))
                look_at_part(kind == part_kinds.end() ? "others" : kind->second, {name, part});
        }
    }

    /// "x", "x.done" and "x.draft" belong together; what says that x is whole goes before x.
    void look_at_part(const std::string& kind, const std::vector<std::string>& place) {
        std::map<std::string, std::vector<std::string>> items;
        for (const std::string& name : names_in(survey_.cache / place[0] / place[1])) {
            std::vector<std::string>& names = items[name.substr(0, std::max<std::size_t>(name.find('.'), 1))];
            names.insert(names.begin(), name); // sorted before: the longer one comes later
        }
        for (auto& [stem, names] : items)
            add(kind, place, std::move(names));
    }

    std::chrono::seconds keep_, now_;
    CacheSurvey survey_;
};

Result<void> take(sandbox::Trash& trash, const fs::path& cache, const CacheItem& item) {
    sandbox::Descriptor folder = sandbox::open_folder(cache);
    for (const std::string& part : item.place)
        folder = sandbox::open_folder(folder.get(), part);
    for (const std::string& name : item.names)
        if (auto taken = trash.take(folder.get(), name); !taken)
            return taken;
    return {};
}

/// One that is being written belongs to a study that is about to start.
Result<std::vector<db::WriterLock>> lock_histories(const std::vector<fs::path>& projects) {
    std::vector<db::WriterLock> locks;
    for (const fs::path& project : projects) {
        const fs::path history = history_file(project);
        if (std::error_code code; !fs::exists(history, code))
            continue;
        auto lock = db::WriterLock::take(history);
        if (lock)
            locks.push_back(std::move(*lock));
        else if (lock.error().kind == Error::Kind::refused)
            return refused("free what the cache holds for " + printable(project.string()), lock.error().found,
                           "Wait until it has finished");
    }
    return locks;
}

} // namespace

Result<std::chrono::seconds> parse_age(const std::string& text) {
    constexpr long ten_years = 3660L * 24 * 3600;
    static const std::map<std::string, long> units = {{"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
    long count = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
    const auto unit = units.find(std::string(end, text.data() + text.size()));
    if (text == "0")
        return 0s;
    if (fault != std::errc() || unit == units.end() || count < 0 || count > ten_years / unit->second)
        return invalid("read the age " + printable(text), "it is no number with m, h, d or w",
                       "Write it as 0, 90m, 12h, 7d or 2w");
    return std::chrono::seconds(count * unit->second);
}

Result<CacheSurvey> survey_cache(const fs::path& cache, std::chrono::seconds keep) {
    if (!sandbox::open_folder(cache))
        return failed("look into the cache folder " + printable(cache.string()), "it cannot be read",
                      "Make it readable for you");
    return Surveyor(cache, keep).look();
}

Result<CacheSurvey> free_cache(const fs::path& cache, std::chrono::seconds keep) {
    const auto machine = sandbox::MachineLock::try_acquire();
    if (!machine)
        return machine.error().kind == Error::Kind::refused
                   ? refused("free what the cache holds", machine.error().found, machine.error().remedy)
                   : tl::unexpected(machine.error());
    auto survey = survey_cache(cache, keep);
    if (!survey)
        return survey;
    const auto histories = lock_histories(survey->projects);
    if (!histories)
        return tl::unexpected(histories.error());
    auto trash = sandbox::Trash::open(cache);
    if (!trash)
        return tl::unexpected(trash.error());
    for (const CacheItem& item : survey->items)
        if (const bool there_already = item.place == std::vector<std::string>{sandbox::Trash::name};
            item.free && !there_already)
            if (auto taken = take(*trash, cache, item); !taken)
                return tl::unexpected(taken.error());
    if (auto emptied = trash->empty(); !emptied)
        return tl::unexpected(emptied.error());
    return survey;
}

} // namespace holdfast::app
