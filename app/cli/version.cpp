// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.hpp"
#include "app/common/build_facts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast::cli {

Result<int> version(const Common& common) {
    const app::BuildFacts facts = app::build_facts();
    if (common.json) {
        nlohmann::json libraries = nlohmann::json::object();
        for (const auto& [name, version] : facts.libraries)
            libraries[name] = version;
        const bool known = !facts.commit.empty();
        print_document({{"schema", "holdfast/version/1"},
                        {"version", facts.version},
                        {"commit", known ? nlohmann::json(facts.commit) : nlohmann::json()},
                        {"dirty", known ? nlohmann::json(facts.dirty) : nlohmann::json()},
                        {"compiler", facts.compiler},
                        {"build-type", facts.build_type},
                        {"sanitizer", facts.sanitizer.empty() ? nlohmann::json() : nlohmann::json(facts.sanitizer)},
                        {"libraries", libraries},
                        {"store-schema", facts.store_schema}});
        return Exit::done;
    }
    fmt::print("holdfast {}\n", facts.version);
    fmt::print("commit     {}\n", facts.commit.empty() ? "unknown: not built from a repository"
                                  : facts.dirty        ? facts.commit + " with uncommitted changes"
                                                       : facts.commit);
    fmt::print("compiler   {}\nbuild      {}\n", facts.compiler, facts.build_type);
    fmt::print("sanitizer  {}\n", facts.sanitizer.empty() ? "none" : facts.sanitizer);
    for (const auto& [name, version] : facts.libraries)
        fmt::print("library    {} {}\n", name, version);
    fmt::print("history    schema {}\n", facts.store_schema);
    return Exit::done;
}

} // namespace holdfast::cli
