// SPDX-License-Identifier: GPL-3.0-or-later
// The library's event interface hands over one value after the other; only those of the element at hand are kept.
#include "core/results/json_records.hpp"

#include "core/project/text.hpp"
#include "core/results/parts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace holdfast::results {

using nlohmann::json;

namespace {

constexpr std::size_t most_levels = 64;
constexpr int out_of_range = 406; ///< the library's number for that error
// What 200 MB of one benchmark can need; what a hostile file cannot exceed.
constexpr std::size_t most_containers = 2'000'000, most_members = 8'000'000;

/// The bare numbers that are no JSON: google-benchmark and Python write the first two, C++ streams the others.
constexpr std::array<std::string_view, 4> bare = {"NaN", "Infinity", "nan", "inf"};

std::size_t bare_at(std::string_view text) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    for (const std::string_view word : bare)
        if (text.substr(sign).starts_with(word))
            return sign + word.size();
    return 0;
}

/// `text` with each bare number as an empty text of the same length, so that places in errors stay what they are.
/// `storage` holds it when there is any.
std::string_view without_bare(std::string_view text, std::string& storage) {
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\')
                ++at;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == 'N' || c == 'I' || c == 'n' || c == 'i' || c == '-') {
            const std::size_t length = bare_at(text.substr(at));
            if (length == 0)
                continue;
            if (storage.empty())
                storage = text;
            std::fill_n(storage.begin() + static_cast<std::ptrdiff_t>(at), length, ' ');
            storage[at] = storage[at + 1] = '"';
            at += length - 1;
        }
    }
    return storage.empty() ? text : std::string_view(storage);
}

/// Receives the library's events. Every function says whether to go on.
class Events {
public:
    Events(const std::string* key, std::size_t size, const TakeRecord& take) : key_(key), size_(size), take_(&take) {}

    bool null() { return value(nullptr); }
    bool boolean(bool value_) { return value(value_); }
    bool number_integer(json::number_integer_t value_) { return value(value_); }
    bool number_unsigned(json::number_unsigned_t value_) { return value(value_); }
    bool number_float(json::number_float_t value_, const std::string&) { return value(value_); }
    bool string(std::string& value_) { return value(std::move(value_)); }
    bool binary(json::binary_t&) { return false; } // JSON text has none
    bool start_object(std::size_t) { return open(json::object(), false); }
    bool start_array(std::size_t) { return open(json::array(), true); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (!open_.empty()) {
            if (open_.back()->contains(name))
                return fail(fmt::format("it has the key \"{}\" twice in one object", shown(name)));
            if (++members_ > most_members)
                return fail("one benchmark has too many values");
            member_ = std::move(name);
        } else if (levels_ == 1) {
            if (!top_keys_.insert(name).second)
                return fail(fmt::format("it has the key \"{}\" twice", shown(name)));
            top_key_ = std::move(name);
        }
        return true;
    }

    bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) {
        return fail(at >= size_ ? "it is cut short: it ends where more must follow"
                    : error.id == out_of_range
                        ? fmt::format("it has a number beyond what a double holds, at byte {}", at)
                        : fmt::format("it is not valid JSON at byte {}", at));
    }

    const std::string& fault() const { return fault_; }
    bool found_array() const { return found_array_; }
    const std::string& array_key() const { return array_key_; }

private:
    static std::string shown(const std::string& name) { return printable(name.substr(0, 100)); }

    bool fail(std::string fault) {
        if (fault_.empty())
            fault_ = std::move(fault);
        return false;
    }

    bool among_records() const { return records_level_ != 0 && levels_ == records_level_; }

    bool deliver(const json& record) {
        containers_ = members_ = 0;
        const std::string said = (*take_)(record);
        return said.empty() || fail(said);
    }

    bool value(json&& made) {
        if (open_.empty())
            return !among_records() || deliver(made);
        json& parent = *open_.back();
        if (parent.is_array())
            parent.push_back(std::move(made));
        else
            parent[member_] = std::move(made);
        return true;
    }

    bool is_records(bool array) const {
        if (!array || found_array_)
            return false;
        if (key_ == nullptr) // any
            return levels_ == 0 || (levels_ == 1 && root_is_object_);
        return key_->empty() ? levels_ == 0 : levels_ == 1 && root_is_object_ && top_key_ == *key_;
    }

    bool open(json&& empty, bool array) {
        if (levels_ == 0)
            root_is_object_ = !array;
        if (levels_ >= most_levels)
            return fail(fmt::format("it is nested deeper than {} levels", most_levels));
        if (open_.empty() && !among_records()) {
            if (is_records(array)) {
                found_array_ = true;
                array_key_ = levels_ == 0 ? "" : top_key_;
                records_level_ = levels_ + 1;
            }
            ++levels_;
            return true;
        }
        if (++containers_ > most_containers)
            return fail("one benchmark has too many values");
        ++levels_;
        if (open_.empty()) {
            record_ = std::move(empty);
            open_.push_back(&record_);
            return true;
        }
        json& parent = *open_.back();
        json& place = parent.is_array() ? parent.emplace_back(std::move(empty)) : parent[member_] = std::move(empty);
        open_.push_back(&place);
        return true;
    }

    bool close() {
        --levels_;
        if (open_.empty()) {
            if (records_level_ != 0 && levels_ < records_level_)
                records_level_ = 0;
            return true;
        }
        open_.pop_back();
        return !open_.empty() || deliver(record_);
    }

    const std::string* key_; ///< null: the first array that is the root or a member of it
    std::size_t size_;
    const TakeRecord* take_;
    std::size_t levels_ = 0, records_level_ = 0; ///< open containers; of the array of records, 0 outside it
    std::size_t containers_ = 0, members_ = 0;   ///< of the record at hand
    bool root_is_object_ = false, found_array_ = false;
    std::set<std::string> top_keys_;
    std::string top_key_, array_key_, member_, fault_;
    json record_;
    std::vector<json*> open_; ///< containers of the record at hand, outermost first
};

} // namespace

Result<void> each_record(Format format, std::string_view text, const std::string& key, const TakeRecord& take) {
    std::string storage;
    const std::string_view clean = without_bare(text, storage);
    Events events(&key, clean.size(), take);
    if (!json::sax_parse(clean.begin(), clean.end(), &events))
        return unreadable(format, events.fault().empty() ? "it is not valid JSON" : events.fault());
    if (!events.found_array())
        return unreadable(format, key.empty() ? "it is no array of benchmarks"
                                              : fmt::format("it has no array \"{}\" of benchmarks", key));
    return {};
}

FirstRecord first_record(std::string_view text) {
    std::string storage;
    const std::string enough = "enough";
    FirstRecord first;
    const TakeRecord take = [&](const json& record) {
        first.record = record.dump();
        return enough;
    };
    const std::string_view clean = without_bare(text, storage);
    Events events(nullptr, clean.size(), take);
    if (!json::sax_parse(clean.begin(), clean.end(), &events) && events.fault() != enough)
        first.fault = events.fault();
    first.key = events.array_key();
    return first;
}

Result<json> parse_record(Format format, std::string_view text) {
    const std::string wrapped = "[" + std::string(text) + "]";
    json only;
    std::size_t count = 0;
    auto read = each_record(format, wrapped, "", [&](const json& record) {
        only = record;
        return std::string(++count == 1 ? "" : "it holds more than one value");
    });
    if (!read)
        return tl::unexpected(read.error());
    if (count == 0)
        return unreadable(format, "an empty text is no JSON");
    return only;
}

} // namespace holdfast::results
