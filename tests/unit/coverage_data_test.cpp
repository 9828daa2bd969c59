// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/coverage.hpp"
#include "core/study/coverage_data.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

using namespace holdfast;
using study::FileCounts;
using study::LineCounts;

namespace {

std::string document(const std::string& file, const std::string& lines) {
    return R"({"format_version": "1", "current_working_directory": "/build/sub", "files": [{"file": ")" + file +
           R"(", "functions": [], "lines": [)" + lines + "]}]}\n";
}

} // namespace

TEST_CASE("counts of one file from several objects add up, whatever its path is called") {
    LineCounts counts;
    study::add_gcov(document("/source/src/a.c", R"({"line_number": 3, "count": 2}, {"line_number": 4, "count": 0})") +
                        document("../../source/src/a.c", R"({"line_number": 3, "count": 1})") +
                        document("src/a.c", R"({"line_number": 9, "count": 1})") +
                        document("/usr/include/a.c", R"({"line_number": 1, "count": 1})"),
                    counts);
    CHECK(study::counts_of(counts, "src/a.c") == FileCounts{{3, 3}, {4, 0}, {9, 1}});
    CHECK(study::counts_of(counts, "a.c") == FileCounts{{9, 1}}); // copied to /build/sub/src
    CHECK(study::counts_of(counts, "b.c").empty());
}

TEST_CASE("what is not gcov's tells nothing") {
    LineCounts counts;
    study::add_gcov("", counts);
    study::add_gcov("not JSON\n[]\n{}\n{\"files\": 3}\n{\"files\": [{\"file\": 7}]}\n", counts);
    study::add_gcov(document("/source/a.c", R"({"line_number": -1, "count": 2}, {"line_number": 1e99, "count": 0.5})"),
                    counts);
    CHECK(study::counts_of(counts, "a.c").empty());
    study::add_gcov(document("/source/a.c", R"({"line_number": 1, "count": 18446744073709551615})") +
                        document("/source/a.c", R"({"line_number": 1, "count": 18446744073709551615})"),
                    counts);
    CHECK(study::counts_of(counts, "a.c").at(1) > 0); // it does not wrap to none
}

TEST_CASE("Python's processes add up, and hostile files tell nothing") {
    const test::ScratchFolder folder;
    test::write_text(folder.path() / "1.lines", R"([{"file": "a.py", "can": [1, 2, 3], "run": [1, 2, 99]}])");
    test::write_text(folder.path() / "2.lines", R"([{"file": "a.py", "can": [1, 2, 3], "run": [2]}])");
    test::write_text(folder.path() / "3.lines", R"([{"file": 3}])");
    test::write_text(folder.path() / "4.lines", "cut off");
    test::write_text(folder.path() / "other", "[]");
    LineCounts counts;
    study::add_python(folder.path(), counts);
    CHECK(study::counts_of(counts, "a.py") == FileCounts{{1, 1}, {2, 2}, {3, 0}});
}

TEST_CASE("lines are told in ranges") {
    CHECK(study::lines_text({7}) == "line 7");
    CHECK(study::lines_text({7, 8}) == "lines 7-8");
    CHECK(study::lines_text({1, 3, 4, 5, 9}) == "lines 1, 3-5, 9");
    std::vector<std::size_t> many;
    for (std::size_t i = 1; i < 100; i += 2)
        many.push_back(i);
    CHECK_THAT(study::lines_text(many), ContainsSubstring("and 38 more places"));
}
