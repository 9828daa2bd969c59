// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"

#include "core/project/text.hpp"
#include "core/project/utf8.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

int exit_code(Error::Kind kind) {
    switch (kind) {
    case Error::Kind::failed:
        return Exit::error;
    case Error::Kind::invalid:
        return Exit::usage;
    case Error::Kind::refused:
        return Exit::gate_refused;
    case Error::Kind::interrupted:
        return Exit::interrupted;
    }
    return Exit::error;
}

const char* kind_text(Error::Kind kind) {
    switch (kind) {
    case Error::Kind::failed:
        return "failed";
    case Error::Kind::invalid:
        return "invalid";
    case Error::Kind::refused:
        return "refused";
    case Error::Kind::interrupted:
        return "interrupted";
    }
    return "failed";
}

namespace {

/// A terminal may be where it ends up: what printable() would not show is escaped as JSON has it.
std::string escaped(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (std::size_t at = 0; at < json.size();) {
        const CodePoint point = decode_utf8(json, at);
        const std::size_t size = std::max<std::size_t>(point.size, 1);
        const auto c = static_cast<unsigned>(point.value);
        if (point.size == 0 || c < 0x7f || !is_unsafe(point.value))
            text.append(json, at, size);
        else if (c <= 0xffff)
            text += fmt::format("\\u{:04x}", c);
        else
            text +=
                fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((c - 0x10000) >> 10U), 0xdc00 + ((c - 0x10000) & 0x3ffU));
        at += size;
    }
    return text;
}

} // namespace

void print_document(const nlohmann::json& document) {
    const std::string text = escaped(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout); // main() tells when it could not be written
}

Result<std::unique_ptr<study::Store>> open_history(const Common& common, db::SqliteStore::Mode mode) {
    return app::open_existing_history(
        common.folder, mode, [](const std::string& who) { std::fputs((printable(who) + "\n").c_str(), stderr); });
}

} // namespace holdfast::cli
