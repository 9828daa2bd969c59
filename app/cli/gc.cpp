// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/cli/render.hpp"
#include "app/common/cache_survey.hpp"
#include "core/project/quantity.hpp"
#include "core/project/text.hpp"
#include "db/compact.hpp"
#include "sandbox/folders.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace holdfast::cli {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct Sum {
    std::size_t items = 0;
    std::uint64_t bytes = 0;
    bool whole = true;
    std::chrono::seconds youngest = std::chrono::seconds::max(), oldest = 0s;

    void add(const app::CacheItem& item) {
        ++items;
        bytes += item.bytes;
        whole = whole && item.whole;
        youngest = std::min(youngest, item.age);
        oldest = std::max(oldest, item.age);
    }
};

struct Totals {
    Sum freed, kept;
    std::vector<std::string> reasons; ///< why what is old stays
};

std::map<std::string, Totals> by_kind(const app::CacheSurvey& survey) {
    std::map<std::string, Totals> kinds;
    for (const app::CacheItem& item : survey.items) {
        Totals& totals = kinds[item.kind];
        (item.free ? totals.freed : totals.kept).add(item);
        if (!item.why.empty())
            totals.reasons.push_back(item.names.front() + ": " + item.why);
    }
    return kinds;
}

Sum sum_of(const app::CacheSurvey& survey, bool freed) {
    Sum sum;
    for (const app::CacheItem& item : survey.items)
        if (item.free == freed)
            sum.add(item);
    return sum;
}

std::string age_text(std::chrono::seconds age) {
    return age < 48h ? duration_text(age) : fmt::format("{} d", age / 24h);
}

std::string size_text(const Sum& sum) {
    return (sum.whole ? "" : "at least ") + bytes_text(static_cast<double>(sum.bytes));
}

std::vector<std::string> row(const std::string& kind, const char* what, const Sum& sum) {
    return {kind, what, std::to_string(sum.items), size_text(sum),
            sum.youngest == sum.oldest ? age_text(sum.oldest) : age_text(sum.youngest) + " to " + age_text(sum.oldest)};
}

void print_survey(const app::CacheSurvey& survey, const GcArguments& arguments) {
    fmt::print("cache      {}\n", printable(survey.cache.string()));
    std::vector<std::vector<std::string>> rows{{"kind", "", "items", "size", "age"}};
    for (const auto& [kind, totals] : by_kind(survey)) {
        if (totals.freed.items > 0)
            rows.push_back(row(kind, arguments.apply ? "freed" : "to free", totals.freed));
        if (totals.kept.items > 0)
            rows.push_back(row(kind, "stays", totals.kept));
        for (const std::string& reason : totals.reasons)
            rows.push_back({"", "stays", printable(reason)});
    }
    if (rows.size() > 1)
        fmt::print("{}", table(rows));
    if (!survey.foreign.empty())
        fmt::print("{} other entries are not Holdfast's and are left alone: {}{}\n", survey.foreign.size(),
                   printable(survey.foreign.front()), survey.foreign.size() > 1 ? ", ..." : "");
    const Sum freed = sum_of(survey, true);
    if (freed.items == 0)
        fmt::print("nothing is older than {}: there is nothing to free\n", arguments.keep);
    else if (arguments.apply)
        fmt::print("freed {} in {} item(s)\n", size_text(freed), freed.items);
    else
        fmt::print("would free {} in {} item(s), and changed nothing. Free them with: holdfast gc --yes\n",
                   size_text(freed), freed.items);
}

json document_of(const Sum& sum) {
    return {{"items", sum.items},
            {"bytes", sum.bytes},
            {"whole", sum.whole},
            {"youngest", sum.items == 0 ? json() : json(sum.youngest.count())},
            {"oldest", sum.items == 0 ? json() : json(sum.oldest.count())}};
}

json document_of(const app::CacheSurvey& survey, std::chrono::seconds keep, const GcArguments& arguments) {
    json kinds = json::array(), foreign = json::array();
    for (const auto& [kind, totals] : by_kind(survey)) {
        json reasons = json::array();
        for (const std::string& reason : totals.reasons)
            reasons.push_back(printable(reason));
        kinds.push_back({{"kind", kind},
                         {"freed", document_of(totals.freed)},
                         {"kept", document_of(totals.kept)},
                         {"reasons", reasons}});
    }
    for (const std::string& name : survey.foreign)
        foreign.push_back(printable(name));
    return {{"schema", "holdfast/gc/1"},
            {"cache", survey.cache.string()},
            {"applied", arguments.apply},
            {"keep", keep.count()},
            {"kinds", kinds},
            {"freed", document_of(sum_of(survey, true))},
            {"kept", document_of(sum_of(survey, false))},
            {"foreign", foreign},
            {"history", nullptr}};
}

} // namespace

Result<int> gc(const Common& common, const GcArguments& arguments) {
    const auto keep = app::parse_age(arguments.keep);
    if (!keep)
        return tl::unexpected(keep.error());
    const auto cache = sandbox::make_cache();
    if (!cache)
        return tl::unexpected(cache.error());
    std::optional<db::Compaction> history;
    if (arguments.history) {
        if (auto there = app::check_project_folder(common.folder, "compact the history"); !there)
            return tl::unexpected(there.error());
        const std::filesystem::path file = app::history_file(common.folder);
        const auto done = arguments.apply ? db::compact(file) : db::compaction(file);
        if (!done)
            return tl::unexpected(done.error());
        history = *done;
    }
    const auto survey = arguments.apply ? app::free_cache(*cache, *keep) : app::survey_cache(*cache, *keep);
    if (!survey)
        return tl::unexpected(survey.error());
    if (common.json) {
        json document = document_of(*survey, *keep, arguments);
        if (history)
            document["history"] = {{"before", history->before}, {"after", history->after}};
        print_document(document);
        return Exit::done;
    }
    print_survey(*survey, arguments);
    if (history)
        fmt::print("history    {} before, {} {}\n", bytes_text(static_cast<double>(history->before)),
                   bytes_text(static_cast<double>(history->after)),
                   arguments.apply ? "now; every row is still there" : "when compacted");
    return Exit::done;
}

} // namespace holdfast::cli
