// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/look_texts.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

namespace holdfast::review::look {

namespace {

using Names = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t longest_text = 256; ///< bytes of one that is put together; no path is longer

void add_utf8(std::uint32_t point, std::string& text) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xc0 | point >> 6);
        add(0x80 | (point & 0x3f));
    } else {
        add(0xe0 | (point >> 12 & 0xf));
        add(0x80 | (point >> 6 & 0x3f));
        add(0x80 | (point & 0x3f));
    }
}

/// A number of at most `most` digits at `at`, which is moved past it.
std::optional<std::uint32_t> number_at(std::string_view text, std::size_t& at, std::size_t most, int base) {
    std::uint32_t value = 0;
    const std::string_view digits = text.substr(at, most);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (read.ec != std::errc())
        return std::nullopt;
    at += static_cast<std::size_t>(read.ptr - digits.data());
    return value;
}

/// The escape whose letter is at `at`; moves past it.
void decode_escape(std::string_view quoted, std::size_t& at, std::string& text) {
    const char letter = quoted[at];
    const std::size_t most = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (most > 0) {
        std::size_t next = at + 1;
        const bool braces = next < quoted.size() && quoted[next] == '{';
        next += braces ? 1 : 0;
        if (const auto value = number_at(quoted, next, braces ? 6 : most, 16)) {
            at = next + (braces && next < quoted.size() && quoted[next] == '}' ? 1 : 0);
            add_utf8(*value, text);
            return;
        }
    }
    if (letter >= '0' && letter <= '7') {
        if (const auto value = number_at(quoted, at, 3, 8))
            add_utf8(*value, text);
        return;
    }
    text += letter == 'n' ? '\n' : letter == 't' ? '\t' : letter == 'r' ? '\r' : letter;
    ++at;
}

/// A quoted text, or a name that stands for one, of one line.
struct Piece {
    std::string text;
    bool joined = false; ///< nothing but a sign that joins is between it and the piece before it, or the line's start
    bool named = false;  ///< only its name stands there: by itself it is no text of the line
};

struct Pieces {
    std::vector<Piece> all;
    bool open = false; ///< nothing but a sign that joins follows the last one
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

class Scanner {
public:
    Scanner(std::string_view code, Language language, const Names& names)
        : code_(code), language_(language), names_(names) {}

    Pieces pieces() {
        while (at_ < code_.size()) {
            if (opens_quote())
                take_quote();
            else if (word_character(code_[at_]))
                take_word();
            else
                take_sign();
        }
        result_.open = joins_ && !result_.all.empty();
        return std::move(result_);
    }

private:
    static bool word_character(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }

    bool opens_quote() const {
        const char c = code_[at_];
        if (c == '"' || (c == '`' && language_ == Language::script) || (c == '`' && language_ == Language::go))
            return true;
        if (c != '\'')
            return false;
        if (at_ > 0 && code_[at_ - 1] >= '0' && code_[at_ - 1] <= '9')
            return false; // 1'000
        // A lifetime is no text.
        return language_ != Language::rust ||
               (at_ + 2 < code_.size() && (code_[at_ + 2] == '\'' || code_[at_ + 1] == '\\'));
    }

    void add(std::string text, bool named = false) {
        result_.all.push_back({std::move(text), joins_, named});
        joins_ = true;
    }

    void take_quote() {
        const char quote = code_[at_];
        std::size_t end = at_ + 1;
        while (end < code_.size() && code_[end] != quote)
            end += code_[end] == '\\' ? 2 : 1;
        end = std::min(end, code_.size());
        const std::string_view inside = code_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        add(raw_ ? std::string(inside.substr(std::min(inside.find('(') + 1, inside.size()))) : decoded(inside));
        raw_ = false;
        single_ = quote == '\'' && result_.all.back().text.size() == 1;
    }

    void take_word() {
        std::size_t end = at_;
        while (end < code_.size() && word_character(code_[end]))
            ++end;
        const std::string_view word = code_.substr(at_, end - at_);
        at_ = end;
        const bool before_quote = at_ < code_.size() && (code_[at_] == '"' || code_[at_] == '\'');
        if (const auto named = names_.find(word); named != names_.end())
            add(named->second, true);
        else if (before_quote && word.size() <= 3) // `u8"x"`
            raw_ = language_ == Language::c && word.ends_with('R');
        else if (!is_one_of(word, {"std", "string", "string_view", "String", "from", "str", "QString", "s", "sv"}))
            joins_ = false;
    }

    void take_sign() {
        const char c = code_[at_];
        const bool twice = at_ + 1 < code_.size() && code_[at_ + 1] == c;
        at_ += twice && (c == '<' || c == ':') ? 2 : 1;
        // Characters one by one are a text as well.
        const bool sign = c == ' ' || c == '\t' || c == '+' || c == '\\' || c == '(' || c == ')' || c == '&' ||
                          (twice && (c == '<' || c == ':')) || (c == ',' && single_);
        joins_ = joins_ && sign;
    }

    std::string_view code_;
    Language language_;
    const Names& names_;
    Pieces result_;
    std::size_t at_ = 0;
    bool joins_ = true, raw_ = false, single_ = false;
};

/// `#define NAME "text"`, `NAME = "text"`: what later lines may call by its name.
void take_name(const Line& line, Language language, Names& names) {
    static const Names none;
    const auto& tokens = line.tokens;
    const auto quote = std::find(tokens.begin(), tokens.end(), "\"\"");
    if (quote == tokens.end() || std::find(tokens.begin(), quote, "(") != quote)
        return;
    std::string name;
    if (tokens.size() > 3 && tokens[0] == "#" && tokens[1] == "define")
        name = tokens[2];
    else if (const auto equals = std::find(tokens.begin(), quote, "="); equals != quote && equals + 1 == quote)
        for (auto word = tokens.begin(); word != equals; ++word)
            if (is_word(*word))
                name = *word;
    if (name.empty())
        return;
    std::string text;
    for (const Piece& piece : Scanner(line.code, language, none).pieces().all)
        text += piece.text;
    names[name] = text.substr(0, longest_text);
}

/// Pieces that are one text, and the lines that hold them.
class Run {
public:
    explicit Run(std::vector<Line>& side) : side_(side) {}

    void add(std::size_t line, const std::string& text) {
        if (text_.size() + text.size() > longest_text || pieces_ == longest_text)
            finish();
        text_ += text;
        ++pieces_;
        if (lines_.empty() || lines_.back() != line)
            lines_.push_back(line);
    }

    void finish() {
        if (pieces_ > 1)
            for (const std::size_t line : lines_)
                side_[line].texts.push_back(text_);
        text_.clear();
        lines_.clear();
        pieces_ = 0;
    }

private:
    std::vector<Line>& side_;
    std::string text_;
    std::vector<std::size_t> lines_;
    std::size_t pieces_ = 0;
};

void read_side(std::vector<Line>& side, Language language, const Names& names) {
    Run run(side);
    bool open = false;
    for (std::size_t i = 0; i < side.size(); ++i) {
        if (side[i].code.empty())
            continue;
        Pieces pieces = Scanner(side[i].code, language, names).pieces();
        for (std::size_t p = 0; p < pieces.all.size(); ++p) {
            if (!pieces.all[p].joined || (p == 0 && !open))
                run.finish();
            run.add(i, pieces.all[p].text);
            if (!pieces.all[p].named)
                side[i].texts.push_back(std::move(pieces.all[p].text));
        }
        open = pieces.open;
        if (!open)
            run.finish();
    }
    run.finish();
}

} // namespace

std::string decoded(std::string_view quoted) {
    std::string text;
    for (std::size_t at = 0; at < quoted.size();)
        if (quoted[at] == '\\' && at + 1 < quoted.size())
            decode_escape(quoted, ++at, text);
        else
            text += quoted[at++];
    return text;
}

void read_texts(std::vector<File>& files) {
    Names before, after;
    for (const File& file : files)
        for (const Hunk& hunk : file.hunks) {
            for (const Line& line : hunk.before)
                take_name(line, file.language, before);
            for (const Line& line : hunk.after)
                take_name(line, file.language, after);
        }
    for (File& file : files)
        for (Hunk& hunk : file.hunks) {
            read_side(hunk.before, file.language, before);
            read_side(hunk.after, file.language, after);
        }
}

} // namespace holdfast::review::look
