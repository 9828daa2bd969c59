// SPDX-License-Identifier: GPL-3.0-or-later
// Every seed and every input that once was a finding, given to its reader again; also cut short and with a byte
// changed.
#include "tests/catch.h"
#include "tests/fuzz/targets.hpp"
#include "tests/scratch.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

using namespace holdfast;
using holdfast::test::read_text;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    if (fs::is_directory(folder))
        for (const auto& entry : fs::directory_iterator(folder))
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

const fs::path corpus = fs::path(HOLDFAST_SOURCE_DIR) / "tests" / "fuzz" / "corpus";

/// As it is, cut at up to 50 places, and with one byte changed at each of them.
void run_around(const fuzz::Target& target, const std::string& bytes) {
    target.run(bytes);
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 50);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        target.run(std::string_view(bytes).substr(0, at));
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0x21);
        target.run(changed);
    }
}

} // namespace

TEST_CASE("every reader of foreign text has seeds, and every folder of seeds a reader") {
    std::set<std::string> named;
    for (const fuzz::Target& target : fuzz::targets()) {
        CAPTURE(target.name);
        CHECK(files_below(corpus / target.name).size() >= 2);
        CHECK(named.insert(target.name).second);
    }
    for (const fs::path& folder : files_below(corpus)) {
        CAPTURE(folder.filename().string());
        CHECK(named.count(folder.filename().string()) == 1);
    }
}

TEST_CASE("seeds and past findings, whole, cut short and changed, crash no reader and break no promise") {
    std::size_t read = 0;
    for (const fuzz::Target& target : fuzz::targets())
        for (const fs::path& file : files_below(corpus / target.name)) {
            CAPTURE(file.string());
            run_around(target, read_text(file));
            ++read;
        }
    for (const fs::path& file : files_below(fs::path(HOLDFAST_SOURCE_DIR) / "tests" / "data" / "results"))
        run_around(*fuzz::target("results"), read_text(file));
    CHECK(read >= 2 * fuzz::targets().size());
}
