// SPDX-License-Identifier: GPL-3.0-or-later
// nlohmann's SAX parser decides what is JSON but does not say where a value starts. The handler below walks the same
// text in step with it: at each event it skips what may stand between tokens, notes the place, and skips the token,
// which the parser has already found valid.
#include "core/project/json_source.hpp"

#include "core/project/text.hpp"
#include "core/project/utf8.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace holdfast {

namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_values = 100'000;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct Place {
    int line = 1, column = 1;
};

class Walker {
public:
    explicit Walker(std::string_view text) : text_(text) {}

    Place to_next_token() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '/')
                skip_comment();
            else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':')
                step();
            else
                break;
        }
        return place_;
    }

    /// Steps over one token and gives its text.
    std::string_view token() {
        const std::size_t start = at_;
        if (at_ == text_.size())
            return {};
        const char first = text_[at_];
        step();
        if (first == '"') {
            while (at_ < text_.size() && text_[at_] != '"') {
                if (text_[at_] == '\\')
                    step();
                step();
            }
            step();
        } else if (std::string_view("{}[]").find(first) == std::string_view::npos) {
            while (at_ < text_.size() &&
                   std::string_view(" \t\r\n,:/{}[]\"").find(text_[at_]) == std::string_view::npos)
                step();
        }
        return text_.substr(start, at_ - start);
    }

    std::size_t offset() const { return at_; }

    Place to_offset(std::size_t offset) {
        while (at_ < std::min(offset, text_.size()))
            step();
        return place_;
    }

private:
    void step() {
        if (at_ >= text_.size())
            return;
        const char c = text_[at_++];
        if (c == '\n') {
            ++place_.line;
            place_.column = 1;
        } else if (at_ == text_.size() || (text_[at_] & 0xc0) != 0x80) { // columns count code points
            ++place_.column;
        }
    }

    void skip_comment() {
        const bool block = text_.substr(at_, 2) == "/*";
        step();
        step();
        if (block) {
            while (at_ < text_.size() && text_.substr(at_, 2) != "*/")
                step();
            step();
            step();
        } else {
            while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r')
                step();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Place place_;
};

std::string shortened(std::string_view text) {
    constexpr std::size_t most = 80;
    if (text.size() <= most)
        return printable(text);
    std::size_t end = most;
    while ((text[end] & 0xc0) == 0x80)
        --end;
    return printable(text.substr(0, end)) + "...";
}

// What nlohmann says after "syntax error while parsing ...", turned round: "unexpected X; expected Y".
JsonFault from_message(std::string_view message) {
    JsonFault fault;
    const auto after = [&](std::string_view mark) -> std::optional<std::string_view> {
        const auto at = message.find(mark);
        return at == std::string_view::npos ? std::nullopt : std::optional(message.substr(at + mark.size()));
    };
    if (message.find("number overflow") != std::string_view::npos) {
        fault.found = "a number that does not fit a double";
        fault.allowed = "numbers up to 1.7e308";
        return fault;
    }
    std::string_view expected;
    if (const auto part = after("; expected "))
        expected = *part;
    std::string_view found = message;
    if (const auto part = after(" - "))
        found = *part;
    found = found.substr(0, found.find("; expected "));
    found = found.substr(0, found.find("; last read"));
    constexpr std::string_view unexpected = "unexpected ";
    if (found.starts_with(unexpected))
        found.remove_prefix(unexpected.size());
    fault.found = shortened(found);
    fault.allowed = expected.empty() ? "JSON with // comments" : std::string(expected);
    if (expected == "'}'" || expected == "']'") // after a member, where a comma may stand just as well
        fault.allowed = "',' or " + fault.allowed;
    return fault;
}

class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    /// `skipped`: the bytes left out before `text`.
    Builder(std::string_view text, std::size_t skipped) : text_(text), skipped_(skipped), walker_(text) {}

    bool null() override { return add(JsonNode::Kind::null) != nullptr; }
    bool boolean(bool value) override {
        JsonNode* node = add(JsonNode::Kind::boolean);
        if (node != nullptr)
            node->boolean = value;
        return node != nullptr;
    }
    bool number_integer(number_integer_t value) override {
        JsonNode* node = add(JsonNode::Kind::integer);
        if (node != nullptr) {
            node->integer = value;
            node->real = static_cast<double>(value);
        }
        return node != nullptr;
    }
    bool number_unsigned(number_unsigned_t value) override {
        if (value <= static_cast<number_unsigned_t>(INT64_MAX))
            return number_integer(static_cast<number_integer_t>(value));
        return number_float(static_cast<double>(value), {});
    }
    bool number_float(number_float_t value, const string_t&) override {
        JsonNode* node = add(JsonNode::Kind::real);
        if (node != nullptr)
            node->real = value;
        return node != nullptr;
    }
    bool string(string_t& value) override {
        JsonNode* node = add(JsonNode::Kind::text);
        if (node != nullptr)
            node->text = std::move(value);
        return node != nullptr;
    }
    bool binary(binary_t&) override { return false; } // never in a text
    bool start_object(std::size_t) override { return open(JsonNode::Kind::object); }
    bool start_array(std::size_t) override { return open(JsonNode::Kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override {
        Level& level = levels_.back();
        level.key_place = walker_.to_next_token();
        walker_.token();
        level.key = value;
        level.duplicate = !level.keys.insert(value).second;
        if (level.duplicate)
            duplicates_.push_back({level.key_place.line, level.key_place.column, pointer_to(path(), value),
                                   fmt::format("the key \"{}\" a second time", shortened(value)),
                                   "each key once in an object"});
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& exception) override {
        JsonFault fault = from_message(exception.what());
        // `position` counts the bytes read: exact for a mark such as ']', while a literal or a text starts earlier.
        const bool mark = fault.found.size() == 3 && fault.found.front() == '\'' && position > 0;
        if (!mark) {
            const Place place = walker_.to_next_token();
            if (fault.found.ends_with("literal"))
                fault.found += ' ' + shortened(walker_.token());
            stop(place, std::move(fault));
            return false;
        }
        const auto before = text_.substr(0, position - 1).find_last_not_of(" \t\r\n");
        const bool closes = text_[position - 1] == '}' || text_[position - 1] == ']';
        if (closes && before != std::string_view::npos && text_[before] == ',') {
            fault.found = fmt::format("a comma before {}", text_[position - 1]);
            fault.allowed = "no comma after the last one";
        }
        stop(Walker(text_).to_offset(position - 1), std::move(fault));
        return false;
    }

    JsonNode root;
    std::optional<JsonFault> fault;
    std::vector<JsonFault> take_duplicates() { return std::move(duplicates_); }

private:
    struct Level {
        JsonNode node;
        std::set<std::string> keys;
        std::string key;
        Place key_place;
        bool duplicate = false;
    };

    std::string path() const {
        std::string pointer;
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i)
            pointer = pointer_to(pointer, step_into(levels_[i]));
        return pointer;
    }

    static std::string step_into(const Level& level) {
        return level.node.kind == JsonNode::Kind::object ? level.key : std::to_string(level.node.children.size());
    }

    void stop(Place place, JsonFault what) {
        what.line = place.line;
        what.column = place.column;
        what.pointer = levels_.empty() ? "" : path();
        fault = std::move(what);
    }

    JsonNode* add(JsonNode::Kind kind) {
        JsonNode node = begin(kind);
        if (fault)
            return nullptr;
        node.text = walker_.token();
        node.end = skipped_ + walker_.offset();
        return place(std::move(node));
    }

    JsonNode begin(JsonNode::Kind kind) {
        const Place place = walker_.to_next_token();
        if (++values_ > most_values)
            stop(place, {0, 0, "", fmt::format("more than {} values", most_values), "a shorter file"});
        JsonNode node;
        node.kind = kind;
        node.line = place.line;
        node.column = place.column;
        node.begin = skipped_ + walker_.offset();
        return node;
    }

    JsonNode* place(JsonNode node) {
        if (levels_.empty()) {
            root = std::move(node);
            return &root;
        }
        Level& level = levels_.back();
        if (level.node.kind == JsonNode::Kind::object) {
            if (level.duplicate) { // parsed and dropped, so that what follows is still checked
                dropped_ = std::move(node);
                return &dropped_;
            }
            node.key = level.key;
            node.key_line = level.key_place.line;
            node.key_column = level.key_place.column;
        }
        level.node.children.push_back(std::move(node));
        return &level.node.children.back();
    }

    bool open(JsonNode::Kind kind) {
        JsonNode node = begin(kind);
        if (levels_.size() >= deepest)
            stop({node.line, node.column},
                 {0, 0, "", fmt::format("nesting deeper than {} levels", deepest), "a flatter file"});
        if (fault)
            return false;
        walker_.token();
        levels_.push_back({std::move(node), {}, {}, {}, false});
        return true;
    }

    bool close() {
        walker_.to_next_token();
        walker_.token();
        JsonNode node = std::move(levels_.back().node);
        node.end = skipped_ + walker_.offset();
        levels_.pop_back();
        place(std::move(node));
        return true;
    }

    std::string_view text_;
    std::size_t skipped_;
    Walker walker_;
    std::vector<Level> levels_;
    std::vector<JsonFault> duplicates_;
    JsonNode dropped_;
    std::size_t values_ = 0;
};

std::optional<JsonFault> unreadable_bytes(std::string_view text) {
    const auto invalid = first_invalid_utf8(text);
    const auto nul = text.find('\0');
    if (!invalid && nul == std::string_view::npos)
        return std::nullopt;
    const bool is_nul = nul < invalid.value_or(text.size());
    const std::size_t offset = is_nul ? nul : *invalid;
    const Place place = Walker(text).to_offset(offset);
    if (is_nul)
        return JsonFault{place.line, place.column, "", "a NUL byte", "text"};
    return JsonFault{
        place.line, place.column, "",
        fmt::format("the byte 0x{:02x}, which is not UTF-8 here", static_cast<unsigned char>(text[offset])),
        "a file saved as UTF-8"};
}

} // namespace

const JsonNode* JsonNode::member(std::string_view name) const {
    const auto found =
        std::find_if(children.begin(), children.end(), [&](const auto& child) { return child.key == name; });
    return kind != Kind::object || found == children.end() ? nullptr : &*found;
}

std::string JsonNode::description() const {
    switch (kind) {
    case Kind::null:
        return "null";
    case Kind::boolean:
        return boolean ? "true" : "false";
    case Kind::integer:
    case Kind::real:
        return "the number " + shortened(text);
    case Kind::text:
        return fmt::format("the text \"{}\"", shortened(text));
    case Kind::array:
        return children.empty() ? "an empty array" : "an array";
    case Kind::object:
        break;
    }
    return children.empty() ? "an empty object" : "an object";
}

std::string pointer_to(const std::string& pointer, std::string_view key) {
    std::string result = pointer + '/';
    for (const char c : key) {
        if (c == '~')
            result += "~0";
        else if (c == '/')
            result += "~1";
        else
            result += c;
    }
    return result;
}

tl::expected<JsonDocument, JsonFault> parse_json(std::string_view text) {
    if (auto fault = unreadable_bytes(text))
        return tl::unexpected(std::move(*fault));
    const std::size_t skipped = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    text.remove_prefix(skipped);
    Builder builder(text, skipped);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, true, true);
    if (builder.fault)
        return tl::unexpected(std::move(*builder.fault));
    return JsonDocument{std::move(builder.root), builder.take_duplicates()};
}

} // namespace holdfast
