// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of packages, which serve Debian 12 and Ubuntu 24.04 alike.
#include "tests/catch.h"
#include "tests/command.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

using namespace holdfast::test;

namespace {

const std::filesystem::path top = HOLDFAST_SOURCE_DIR;

std::vector<std::string> packages(const char* list) {
    std::vector<std::string> names;
    std::istringstream lines(read_text(top / list));
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line.front() != '#')
            names.push_back(line);
    return names;
}

} // namespace

TEST_CASE("packages are named once, sorted, and never by a runtime library's name, which differs between releases") {
    for (const char* list : {"packages.txt", "packages-test.txt"}) {
        const auto names = packages(list);
        INFO(list);
        CHECK(names.size() > 5);
        CHECK(std::is_sorted(names.begin(), names.end()));
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
        for (const std::string& name : names) {
            INFO(name);
            CHECK(std::regex_match(name, std::regex("[a-z0-9][a-z0-9.+-]+")));
            if (name.rfind("lib", 0) == 0)
                CHECK(std::regex_search(name, std::regex("-dev$")));
        }
    }
}

TEST_CASE("apt-get could install every package here, and names one that it does not know") {
    const std::string script = (top / "scripts/install-packages").string();
    if (::access("/usr/bin/apt-get", X_OK) != 0) {
        CHECK(run_command({script, "--simulate"}, "/tmp").err.find("not Debian") != std::string::npos);
        return;
    }
    const Ran known = run_command({script, "--tests", "--simulate"}, "/tmp");
    INFO(known.out << known.err);
    CHECK(known.code == 0);
    CHECK((known.out + known.err).empty());
    const Ran unknown = run_command({script, "--simulate", "holdfast-no-such-package"}, "/tmp");
    CHECK(unknown.code == 1);
    CHECK_THAT(unknown.err, ContainsSubstring("holdfast-no-such-package"));
    CHECK(run_command({script, "--nonsense"}, "/tmp").code == 2);
}
