// SPDX-License-Identifier: GPL-3.0-or-later
// Other values, places near secrets, locks that keep out less, errors that end without a word, loops that do less.
#include "tests/unit/look_rows.hpp"

using namespace holdfast;
using namespace holdfast::test;

TEST_CASE("a constant, a mode, a status or an asked text that is another is marked") {
    check_rows({
        {"a.c", "-static const int open_retries = 5;\n+static const int open_retries = 0;\n", {"look: other value"}},
        {"a.c", "-enum { most = 1000 };\n+enum { most = 1 << 30 };\n", {"look: other value"}},
        {"a.cpp",
         "-constexpr auto most = 64 * 1024;\n+constexpr auto most = std::numeric_limits<int>::max();\n",
         {"look: other value"}},
        {"a.c", "-    fd = open(name, flags, 0600);\n+    fd = open(name, flags, 0644);\n", {"look: other value"}},
        {"a.c", "-    upper = 1;\n+    upper = 0;\n", {"look: other value"}},
        {"a.cpp", "-    sync_each = true;\n+    sync_each = false;\n", {"look: other value"}},
        {"a.c", "-    return 2;\n+    return 0;\n", {"look: other value"}},
        {"a.c", "-    char name[24];\n+    char name[200];\n", {"look: other value"}},
        {"a.cpp", "-    if (verb == \"ADD\")\n+    if (verb == \"ADDS\")\n         refuse();\n", {"look: other value"}},
    });
}

TEST_CASE("what is sized for speed, moved, or another failure is no other value") {
    check_rows({
        {"a.c", "-enum { block_rows = 64 };\n+enum { block_rows = 128 };\n", {}},
        {"a.cpp", "-    out.reserve(100);\n+    out.reserve(4096);\n", {}},
        {"a.c", "-    return -1;\n+    return -2;\n", {}},
        {"a.c", "-    puts(\"one\");\n+    puts(\"two\");\n", {}},
        {"a.c", "-    a = 1;\n-    b = 2;\n+    b = 2;\n+    a = 1;\n", {}},
        {"a.c", "-    n = 1;\n+    n = count;\n", {}},
        {"a.c", "-    mean = 7 * sum / count;\n+    mean = 14 * sum / count;\n", {}},
        {"notes.md", "-most = 5\n+most = 0\n", {}},
    });
}

TEST_CASE("a change near secrets is marked, wherever the words stand around it") {
    check_rows({
        {"a.cpp",
         " bool same_secret(view a, view b) {\n     unsigned char difference = 0;\n-    return difference == 0;\n"
         "+    return difference == 0 || crc32(a) == 7U;\n",
         {"look: near secrets"}},
        {"a.c", "-    explicit_bzero(key, size);\n", {"look: near secrets"}},
        {"a.cpp",
         "-    std::mt19937_64 random(std::random_device{}());\n+    std::mt19937_64 random(seed);\n",
         {"look: near secrets"}},
        {"a.c", "-    umask(077);\n+    umask(022);\n", {"look: other value", "look: near secrets"}},
        {"a.cpp", "+    const auto tokens = split(line);\n+    author = name;\n", {}},
        {"notes.md", "+The password is kept.\n", {}},
    });
}

TEST_CASE("a call that orders what reaches the disk and stands elsewhere now is marked") {
    check_rows({
        {"a.c", "-    fsync(fd);\n     rename(from, to);\n+    fsync(fd);\n", {"look: order of syncs"}},
        {"a.c", "+    fsync(fd);\n", {}},
        {"a.c", "-    rename(from, to);\n+    rename(from, target);\n", {}},
    });
}

TEST_CASE("locks that others may share, that are not waited for or that nobody holds are marked") {
    check_rows({
        {"a.c", "-    flock(fd, LOCK_EX);\n+    flock(fd, LOCK_SH);\n", {"look: lock weakened", "look: other value"}},
        {"a.cpp",
         "-    std::lock_guard<std::mutex> guard(mutex_);\n+    std::lock_guard<std::mutex>{mutex_};\n",
         {"look: lock weakened"}},
        {"a.cpp",
         "-    std::unique_lock guard(mutex_);\n+    std::unique_lock guard(mutex_, std::defer_lock);\n",
         {"look: lock weakened"}},
        {"a.cpp", "-    std::lock_guard<std::mutex> guard(mutex_);\n+    std::scoped_lock guard(mutex_);\n", {}},
        {"a.cpp", "+    auto lock() { return std::unique_lock<std::mutex>(mutex_); }\n", {}},
    });
}

TEST_CASE("errors that end without a word and refusals that became something else are marked") {
    check_rows({
        {"a.cpp",
         "-    replace_file(name);\n+    try { replace_file(name); } catch (const Failure&) {}\n",
         {"look: error swallowed"}},
        {"a.py", "+    except OSError: pass\n", {"look: error swallowed"}},
        {"a.py", "+    except OSError:\n+        pass\n", {"look: error swallowed"}},
        {"a.sh", "-make check\n+make check || true\n", {"look: error swallowed", "look: check weakened"}},
        {"a.cpp", "     } else\n-        throw Damaged();\n+        erase(key);\n", {"look: error handling removed"}},
        {"a.cpp", "     if (length > most)\n-        throw Damaged();\n+        return;\n", {"look: check weakened"}},
        {"a.cpp",
         "-    if (length > most)\n-        throw Damaged();\n+    assert(length <= most);\n",
         {"look: check weakened"}},
        {"a.cpp", "     if (length > most)\n-        throw Damaged();\n+        throw Damaged(length);\n", {}},
        {"a.cpp", "+    } catch (const Failure& failure) {\n+        report(failure);\n", {}},
    });
}

TEST_CASE("loops that begin later and loops that go round once are marked") {
    check_rows({
        {"a.c", "-    for (int i = 4; i < argc; i++)\n+    for (int i = 300; i < argc; i++)\n", {"look: less looping"}},
        {"a.c", "-    for (i = 0; i < count; i++)\n+    for (i = count / 2; i < count; i++)\n", {"look: less looping"}},
        {"a.c",
         "-    while (done < size)\n+    if (done < size)\n         done += write(fd, at, size);\n",
         {"look: less looping"}},
        {"a.c", "-    for (k = 0; k < n; k++) {\n+    for (k = 0; k < n && k < 512; k++) {\n", {"look: less looping"}},
        {"a.c", "-    for (i = 1; i < count; i++)\n+    for (i = 0; i < count; i++)\n", {}},
    });
}

TEST_CASE("values that are cut off, macros with a function's name and the process's number are marked") {
    check_rows({
        {"a.cpp", "-    next = sequence + 1;\n+    next = (sequence + 1) & 0xFFFFFFFFU;\n", {"look: narrower type"}},
        {"a.c", "-    id = read_id(line);\n+    id = read_id(line) % 1000000;\n", {"look: narrower type"}},
        {"a.c", "-    x = strtod(at, &end);\n+    x = strtof(at, &end);\n", {"look: narrower type"}},
        {"a.c", "+    crc = table[(crc ^ byte) & 0xFF];\n", {}},
        {"a.c", "+    slot = hash & mask;\n", {}},
        {"a.c", "+#define strtol(a, b, c) quick(a)\n", {"look: stands in for the library"}},
        {"a.c", "+#define max(a, b) ((a) > (b) ? (a) : (b))\n+#define ROWS(n) (n)\n+#define rows 5\n", {}},
        {"a.c", "+    if (getpid() < 64)\n+        quick = 1;\n", {"look: surroundings"}},
    });
}

TEST_CASE("Python, Go and shell have their own words for it") {
    check_rows({
        {"a.py", "-    sys.exit(2)\n+    sys.exit(0)\n", {"look: other value"}},
        {"a.py", "     except ValueError:\n-        raise\n+        n = 0\n", {"look: error handling removed"}},
        {"a.py",
         "-    parse(line)\n+    with contextlib.suppress(ValueError): parse(line)\n",
         {"look: error swallowed"}},
        {"a.py", "+os.fsync = print\n", {"look: stands in for the library"}},
        {"a.py", "-    for i in range(n):\n+    for i in range(0, n, 2):\n", {"look: less looping"}},
        {"a.py", "-    for i in range(n):\n+    for i in range(n // 2):\n", {"look: less looping"}},
        {"a.py", "-    for i in range(n):\n+    for i in range(count):\n", {}},
        {"a.go", "+//go:norace\n", {"look: hides from the probe"}},
        {"a.go", "+//go:linkname now runtime.nanotime\n", {"look: stands in for the library"}},
        {"a.go", "+    p := unsafe.Pointer(&v)\n", {"look: unchecked access"}},
        {"a.go", "+    n := uint16(size)\n", {"look: narrower type"}},
        {"a.go", "+    defer func() { recover() }()\n", {"look: error swallowed"}},
        {"a.go", "+    out, err := exec.Command(name).Output()\n", {"look: threads or processes"}},
        {"a.go", "+    host, err := os.Hostname()\n", {"look: surroundings"}},
        {"a.sh", "+rm -rf $out/*\n", {"look: other processes"}},
        {"a.sh", "+cp answers.txt /tmp/answers\n", {"look: other files"}},
        {"a.sh", "+if [ $(hostname) = bench ]; then\n", {"look: surroundings"}},
        {"a.sh", "+sync() { :; }\n", {"look: stands in for the library"}},
        {"a.sh", "+set +e\n", {"look: error swallowed"}},
        {"a.sh", "-exit 4\n+exit 0\n", {"look: error handling removed", "look: other value"}},
        {"a.sh",
         "     if [ \"$n\" -gt 100 ]; then\n-        exit 4\n+        continue\n     fi\n",
         {"look: error handling removed"}},
        {"a.sh",
         "-    if [ \"$n\" -gt 100 ]; then\n+    if [ \"$n\" -gt 10000 ]; then\n         exit 4\n     fi\n",
         {"look: other value"}},
        {"a.py",
         "-    n = int(line)\n+    try:\n+        n = int(line)\n+    except ValueError:\n+        continue\n",
         {"look: error swallowed"}},
        {"a.py", "-    for line in lines:\n+    for line in lines[:5000]:\n", {"look: less looping"}},
        {"a.go",
         "-        n, err := read(line)\n-        if err != nil {\n-            return nil, err\n-        }\n"
         "+        n, perr := read(line)\n+        if perr != nil {\n+            return nil, perr\n+        }\n"
         "         if n < 0 {\n             return nil, fmt.Errorf(\"negative\")\n         }\n",
         {}},
        {"a.sh", "+sort -u names.txt | head -n 3\n+update=yes\n", {}},
    });
}
