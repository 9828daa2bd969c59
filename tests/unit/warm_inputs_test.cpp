// SPDX-License-Identifier: GPL-3.0-or-later
// A file that a run threw out of the page cache is back before the next one.
#include "core/study/warm_inputs.hpp"
#include "tests/catch.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr std::size_t size = 1 << 20;

std::size_t pages_in_memory(int fd) {
    void* map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(map != MAP_FAILED);
    std::vector<unsigned char> pages(size / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
    REQUIRE(::mincore(map, size, pages.data()) == 0);
    ::munmap(map, size);
    std::size_t count = 0;
    for (const unsigned char page : pages)
        count += page & 1U;
    return count;
}

} // namespace

TEST_CASE("inputs that were thrown out of memory are brought back, a missing folder is no trouble") {
    std::string name = "/var/tmp/holdfast-warm-XXXXXX"; // on a disk: a memory file system throws nothing out
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    const fs::path folder = name;
    fs::create_directory(folder / "below");
    const fs::path file = folder / "below" / "data";
    std::ofstream(file) << std::string(size, 'x');
    const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(::fsync(fd) == 0);
    REQUIRE(::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
    const std::size_t all = size / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (pages_in_memory(fd) == all)
        WARN("this file system keeps everything in memory: nothing to bring back");
    holdfast::study::warm({folder, folder / "nothing"});
    CHECK(pages_in_memory(fd) == all);
    ::close(fd);
    fs::remove_all(folder);
}
