// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"

#include "core/project/text.hpp"

#include <cstdio>
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

void print_document(const nlohmann::json& document) {
    const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout); // main() tells when it could not be written
}

Result<std::unique_ptr<study::Store>> open_history(const Common& common, db::SqliteStore::Mode mode) {
    return app::open_existing_history(
        common.folder, mode, [](const std::string& who) { std::fputs((printable(who) + "\n").c_str(), stderr); });
}

} // namespace holdfast::cli
