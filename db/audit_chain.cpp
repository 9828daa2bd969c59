// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/auditor.hpp"
#include "db/chain.hpp"
#include "db/rows.hpp"
#include "db/statement.hpp"

#include <fmt/format.h>

namespace holdfast::db {

using namespace holdfast::study;
using nlohmann::json;

namespace {
constexpr std::size_t moves_limit = 200; // events tried at each other's places: quadratic
}

std::string text_in(const json& detail, const char* key) {
    if (!detail.is_object())
        return "";
    const auto found = detail.find(key);
    if (found == detail.end())
        return "";
    return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, json::error_handler_t::replace);
}

std::int64_t number_in(const json& detail, const char* key) {
    if (!detail.is_object() || !detail.contains(key) || !detail[key].is_number_integer())
        return -1;
    return detail[key].get<std::int64_t>();
}

void Auditor::note(const EventRecord& event) {
    const json detail = json::parse(event.detail_json, nullptr, false);
    if (detail.is_discarded())
        return find(fmt::format("The detail of event {} is not JSON.", event.sequence));
    if (event.kind == "question asked")
        asked_[number_in(detail, "question")] = detail;
    else if (event.kind == "question answered")
        answered_[number_in(detail, "question")] = detail;
    else if (event.kind == "change approved" || event.kind == "change rejected" || event.kind == "rework asked")
        reviewed_[number_in(detail, "review")] = detail;
    else if (event.kind == "change applied" || event.kind == "change reverted")
        applied_[number_in(detail, "application")] = detail;
    else if (event.kind == "evidence imported")
        imported_[number_in(detail, "import")] = detail;
    else if (event.kind == "results imported")
        results_[number_in(detail, "file")] = detail;
    else if (event.kind == "samples measured")
        seals_[number_in(detail, "first")] = {event.sequence, number_in(detail, "last"),
                                              number_in(detail, "sample_count"), text_in(detail, "samples")};
    if (!event.subject.empty())
        note_subject(event, detail);
}

void Auditor::note_subject(const EventRecord& event, const json& detail) {
    Told& told = told_[event.subject];
    if (event.kind == "study started") {
        told.details["added"] = detail;
        studies_.insert(event.subject);
    } else if (event.kind == "candidate queued") {
        told.details["added"] = detail;
        trials_.insert(event.subject);
    } else if (event.kind == "opening measured") {
        told.details["opening"] = detail;
    } else if (event.kind == "trial decided") {
        told.details["decided"] = detail;
        told.order[""] = event.sequence;
    } else if (event.kind.starts_with("gate ")) {
        told.gates[text_in(detail, "gate")] = detail;
        told.order[text_in(detail, "gate")] = event.sequence;
    }
    if (detail.is_object() && detail.contains("state"))
        told.details["state"] = detail;
    if (detail.is_object() && detail.contains("row")) {
        if (!told.at("row").is_null() && text_in(told.at("row"), "row") != text_in(detail, "before"))
            find(fmt::format("What event {} ({}, {}) changed had been altered since the event before it.",
                             event.sequence, event.kind, event.time));
        told.details["row"] = detail;
    }
}

void Auditor::check_chain(const std::vector<KnownEvent>& known) {
    EventRecord last;
    last.hash = chain_start;
    std::vector<EventRecord> wrong;
    each_event(database_, [&](const EventRecord& event) {
        ++report_.events;
        const std::int64_t expected = last.sequence + 1;
        if (event.sequence == expected + 1)
            find(fmt::format("Event {} was removed.", expected));
        else if (event.sequence > expected)
            find(fmt::format("Events {} to {} were removed.", expected, event.sequence - 1));
        else if (event.previous != last.hash)
            find(fmt::format("Event {} does not follow event {}: one of them was altered, moved or replaced.",
                             event.sequence, last.sequence));
        if (event_hash(event) != event.hash) {
            find(fmt::format("Event {} ({}, {}) was altered: its hash does not match what it says.", event.sequence,
                             event.kind, event.time));
            if (wrong.size() < moves_limit)
                wrong.push_back(event);
        }
        places_[event.hash] = event.sequence;
        note(event);
        last = event;
    });
    report_.head = last.hash;
    check_order(wrong);
    check_head(last);
    for (const KnownEvent& event : known)
        if (!places_.contains(event.hash))
            find(fmt::format(
                "The event with hash {:.12}, which {} names, is not in the chain: the history was rewritten "
                "or shortened.",
                event.hash, event.where));
}

/// An event whose hash is right for another place than its own was moved, not rewritten.
void Auditor::check_order(const std::vector<EventRecord>& wrong) {
    for (EventRecord event : wrong) {
        const std::int64_t here = event.sequence;
        for (const EventRecord& other : wrong) {
            event.sequence = other.sequence;
            if (other.sequence == here || event_hash(event) != event.hash)
                continue;
            find(fmt::format("Events were re-ordered: event {} was written as event {}.", here, other.sequence));
            break;
        }
    }
}

void Auditor::check_head(const EventRecord& last) {
    if (database_.execAndGet("SELECT count(*) FROM chain_head").getInt64() > 1)
        find("There is more than one record of the chain's end.");
    SQLite::Statement query(database_, "SELECT sequence, hash FROM chain_head WHERE id = 1");
    if (!query.executeStep())
        return find("The record of the chain's end is missing.");
    Row row(query);
    const std::int64_t sequence = row.integer();
    const std::string hash = row.text();
    if (sequence > last.sequence)
        find(fmt::format("The history was shortened: {} at the end {} missing.",
                         sequence == last.sequence + 1 ? fmt::format("event {}", sequence)
                                                       : fmt::format("events {} to {}", last.sequence + 1, sequence),
                         sequence == last.sequence + 1 ? "is" : "are"));
    else if (sequence < last.sequence)
        find(fmt::format("Events after {} were added outside Holdfast, or the record of the chain's end was altered.",
                         sequence));
    else if (hash != last.hash)
        find(fmt::format("The last event, {}, is not the one that was written last.", last.sequence));
}

} // namespace holdfast::db
