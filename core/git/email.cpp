// SPDX-License-Identifier: GPL-3.0-or-later
// The mail that `git format-patch` would write, and what git's mailsplit and mailinfo do to one: they take a carriage
// return at the end of a line for the mail's own (hence quoted-printable, RFC 2045, when there is one), and end the
// message at the first line that looks like a patch.
#include "core/git/email.hpp"

#include "core/project/text.hpp"
#include "core/project/utf8.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <string_view>

namespace holdfast::git {

namespace {

const std::string attempted = "write the change as a mail";
constexpr std::size_t longest_word = 75;  // of RFC 2047
constexpr std::size_t longest_line = 900; // a mail's limit is 998

bool plain_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::string escaped(char c) {
    return fmt::format("={:02X}", static_cast<unsigned char>(c));
}

/// RFC 2047 words, folded; a character is never split between two.
std::string encoded_words(std::string_view text) {
    constexpr std::string_view begin = "=?UTF-8?q?", end = "?=";
    std::string words(begin);
    std::size_t length = begin.size();
    for (std::size_t at = 0; at < text.size();) {
        const auto size = decode_utf8(text, at).size;
        std::string character;
        for (const char c : text.substr(at, size)) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            character += letter ? std::string(1, c) : escaped(c);
        }
        if (length + character.size() + end.size() > longest_word) {
            words.append(end).append("\n ").append(begin);
            length = begin.size();
        }
        words += character;
        length += character.size();
        at += size;
    }
    return words.append(end);
}

std::string header_text(const std::string& text) {
    const bool plain = plain_ascii(text) && text.find("=?") == std::string::npos && text.size() < longest_line;
    return plain ? text : encoded_words(text);
}

std::string display_name(const std::string& name) {
    if (!plain_ascii(name) || name.find_first_of("()<>[]:;@\\,.\"") == std::string::npos)
        return header_text(name);
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

/// RFC 5322, whatever the language of the process.
std::string date_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    constexpr std::string_view days = "SunMonTueWedThuFriSat", months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    return fmt::format("{}, {} {} {} {:02}:{:02}:{:02} +0000",
                       days.substr(static_cast<std::size_t>(utc.tm_wday) * 3, 3), utc.tm_mday,
                       months.substr(static_cast<std::size_t>(utc.tm_mon) * 3, 3), utc.tm_year + 1900, utc.tm_hour,
                       utc.tm_min, utc.tm_sec);
}

template <class Visit> void each_line(std::string_view text, const Visit& visit) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        visit(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// What mailinfo takes for a header when the message begins with it.
bool like_header(std::string_view line) {
    std::string name(line.substr(0, std::min(line.find(':'), line.size())));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return name == "from" || name == "subject" || name == "date" || line.starts_with(">From") ||
           line.starts_with("[PATCH]");
}

/// Lines that mailinfo would take for the patch's beginning or for headers get a blank in front.
std::string message_body(const std::string& body) {
    std::string text;
    each_line(body, [&](std::string_view line) {
        const bool patch = line.starts_with("---") || line.starts_with("diff -") || line.starts_with("Index: ");
        const bool top = text.find_first_not_of("\r\n ") == std::string::npos;
        text.append(patch || (top && like_header(line)) ? " " : "").append(line).append("\n");
    });
    return text;
}

bool needs_quoting(std::string_view text) {
    bool needed = text.find('\r') != std::string_view::npos;
    each_line(text, [&](std::string_view line) {
        needed = needed || line.size() > longest_line || line.starts_with("From "); // the next mail's first line
    });
    return needed;
}

std::string quoted_printable(std::string_view text) {
    std::string quoted;
    each_line(text, [&](std::string_view line) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            const bool blank = (c == ' ' || c == '\t') && i + 1 < line.size();
            const bool from = i == 0 && line.starts_with("From ");
            const bool plain = (c > ' ' && c < 0x7F && c != '=' && !from) || blank;
            const std::string piece = plain ? std::string(1, c) : escaped(c);
            if (length + piece.size() > 75) {
                quoted += "=\n";
                length = 0;
            }
            quoted += piece;
            length += piece.size();
        }
        quoted += '\n';
    });
    return quoted;
}

Result<void> check_words(const Identity& author, const std::string& subject, const std::string& body) {
    for (const auto& [what, text] : {std::pair<std::string, const std::string&>{"author's name", author.name},
                                     {"author's email", author.email},
                                     {"subject", subject}}) {
        if (text.find_first_not_of(' ') == std::string::npos)
            return invalid(attempted, "the " + what + " is empty", "Give one.");
        if (first_invalid_utf8(text) || text.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos)
            return invalid(attempted, "the " + what + " '" + printable(text) + "' is not one line of UTF-8",
                           "Give it on one line.");
    }
    if (author.email.find_first_of("<> ") != std::string::npos)
        return invalid(attempted, "'" + printable(author.email) + "' is no email address",
                       "Run `git config --global user.email you@example.org`.");
    if (first_invalid_utf8(body) || body.find('\0') != std::string::npos)
        return invalid(attempted, "the message has a NUL byte or is not UTF-8", "Give the message as UTF-8.");
    return {};
}

Result<std::string> diff_against(const Repository& repository, const Commit& base, DiffFile file) {
    const auto entry = repository.read(base, file.path);
    if (!entry)
        return tl::unexpected(entry.error());
    const auto present = *entry ? std::optional((*entry)->content) : std::nullopt;
    if (present != file.before)
        return invalid(attempted, printable(file.path) + " is another file in the commit " + printable(base.id),
                       "Make the diff against that commit.");
    file.executable = *entry ? (*entry)->kind == Entry::Kind::executable : file.executable;
    for (const auto& text : {file.before, file.after})
        if (text && text->find('\0') != std::string::npos)
            return invalid(attempted, printable(file.path) + " is a binary file", "Apply the change as a commit.");
    return unified(file);
}

} // namespace

Result<std::string> email_patch(const Repository& repository, const Commit& base, const std::vector<DiffFile>& files,
                                const Identity& author, const std::string& subject, const std::string& body,
                                std::chrono::system_clock::time_point time) {
    if (auto good = check_words(author, subject, body); !good)
        return tl::unexpected(good.error());
    std::string text = message_body(body) + "---\n\n";
    const auto begin = text.size();
    for (const auto& file : files) {
        const auto diff = diff_against(repository, base, file);
        if (!diff)
            return diff;
        text += *diff;
    }
    if (text.size() == begin)
        return invalid(attempted, "it changes no file", "Choose a change that does.");
    text += "\nbase-commit: " + base.id + "\n-- \nHoldfast\n\n";
    const bool quote = needs_quoting(text);
    return fmt::format("From {} Mon Sep 17 00:00:00 2001\n" // format-patch's own fixed date
                       "From: {} <{}>\nDate: {}\nSubject: [PATCH] {}\nMIME-Version: 1.0\n"
                       "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: {}\n\n",
                       std::string(40, '0'), display_name(author.name), author.email, date_text(time),
                       header_text(subject), quote ? "quoted-printable" : "8bit") +
           (quote ? quoted_printable(text) : text);
}

} // namespace holdfast::git
