// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/build_facts.hpp"

#include "db/schema.hpp"
#include "holdfast_commit.h" // written by every build

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <git2.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>

namespace holdfast::app {

namespace {

std::string libgit2_version() {
    int major = 0, minor = 0, revision = 0;
    git_libgit2_version(&major, &minor, &revision);
    return fmt::format("{}.{}.{}", major, minor, revision);
}

} // namespace

BuildFacts build_facts() {
    BuildFacts facts;
    facts.version = HOLDFAST_VERSION;
    facts.commit = HOLDFAST_COMMIT;
    facts.dirty = HOLDFAST_DIRTY;
    facts.compiler = HOLDFAST_COMPILER;
    facts.build_type = HOLDFAST_BUILD_TYPE;
    facts.sanitizer = HOLDFAST_SANITIZER;
    facts.libraries = db::library_versions();
    for (const auto& library : std::vector<std::pair<std::string, std::string>>{
             {"libgit2", libgit2_version()},
             {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
             {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
             {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                           NLOHMANN_JSON_VERSION_PATCH)},
             {"CLI11", CLI11_VERSION},
         })
        facts.libraries.push_back(library);
    facts.store_schema = db::schema_version;
    return facts;
}

} // namespace holdfast::app
