// SPDX-License-Identifier: GPL-3.0-or-later
// What this program was built from. The same sources and tools give the same facts: no times, hosts or paths.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

struct BuildFacts {
    std::string version;    ///< "0.1.0"
    std::string commit;     ///< 40 hexadecimal digits; "" when it was not built from a repository
    bool dirty = false;     ///< tracked files differed from the commit
    std::string compiler;   ///< "GNU 12.2.0"
    std::string build_type; ///< "Release"
    std::string sanitizer;  ///< "address,undefined"; "" without one
    std::vector<std::pair<std::string, std::string>> libraries; ///< as loaded where they tell, else as compiled
    int store_schema = 0;                                       ///< of the histories it writes
};

BuildFacts build_facts();

} // namespace holdfast::app
