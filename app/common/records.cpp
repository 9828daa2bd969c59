// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/records.hpp"

#include <algorithm>

namespace holdfast::app {

const study::VerdictRecord* Records::verdict(const std::string& trial) const {
    const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                    [&](const study::VerdictRecord& verdict) { return verdict.trial == trial; });
    return found == verdicts.end() ? nullptr : &*found;
}

review::Standing Records::standing(const std::string& trial) const {
    return review::standing_of(trial, verdict(trial), reviews, applications);
}

const study::ApplicationRecord* Records::application(const std::string& trial) const {
    const auto found = std::find_if(applications.rbegin(), applications.rend(),
                                    [&](const study::ApplicationRecord& record) { return record.trial == trial; });
    return found == applications.rend() ? nullptr : &*found;
}

Result<Records> read_records(const study::Store& store) {
    Records records;
    const auto take = [](auto& into, auto read) -> Result<void> {
        if (!read)
            return tl::unexpected(read.error());
        into = std::move(*read);
        return {};
    };
    // Trials last: a row read earlier always finds the trial it belongs to.
    if (auto taken = take(records.reviews, store.reviews()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.applications, store.applications()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.verdicts, store.verdicts()); !taken)
        return tl::unexpected(taken.error());
    if (auto taken = take(records.trials, store.trials()); !taken)
        return tl::unexpected(taken.error());
    return records;
}

} // namespace holdfast::app
