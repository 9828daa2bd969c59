// SPDX-License-Identifier: GPL-3.0-or-later
// What a change adds that can deceive whoever measures, or that leaves the program's own business.
#include "core/review/look_marks.hpp"

#include "core/project/danger_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace holdfast::review::look {

namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t table_numbers = 48;   ///< literals that make a table
constexpr std::size_t table_bytes = 1024;   ///< of quoted text in one line
constexpr std::size_t many_digits = 10;     ///< of a literal that looks like a result
constexpr std::uint64_t smallest_size = 64; ///< below it sizes are cases, not workloads

/// `first.second`, `first::second`.
bool has_pair(const Tokens& tokens, std::string_view first, std::string_view second) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i] == first && (tokens[i + 1] == "." || tokens[i + 1] == ":"))
            for (std::size_t j = i + 2; j < tokens.size() && j <= i + 3; ++j)
                if (tokens[j] == second)
                    return true;
    return false;
}

bool names_path(const Line& line, std::initializer_list<std::string_view> starts) {
    return std::any_of(line.texts.begin(), line.texts.end(), [&](const std::string& text) {
        return std::any_of(starts.begin(), starts.end(),
                           [&](std::string_view start) { return text.starts_with(start); });
    });
}

/// A path that leads out of where the program works, or that is put together at run time.
bool names_far_path(const Line& line) {
    return std::any_of(line.texts.begin(), line.texts.end(), [](const std::string& text) {
        for (const char* part : {"/tmp/", "/dev/shm", "/var/tmp", "/../.."})
            if (text.find(part) != std::string::npos)
                return true;
        return text.starts_with("../..") ||
               (text.starts_with('/') && text.find('%') != std::string::npos && text.find(' ') == std::string::npos);
    });
}

/// What a shell calls: the first word of a command.
bool shell_calls(const File& file, const Line& line, std::initializer_list<std::string_view> programs) {
    if (file.language != Language::shell)
        return false;
    const Tokens& tokens = line.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (has({tokens[i]}, programs) && (i == 0 || has({tokens[i - 1]}, {"|", "&", ";", "(", "`", "!", "do", "then",
                                                                           "else", "if", "while", "exec"})))
            return true;
    return false;
}

bool shell_names(const File& file, const Line& line, std::initializer_list<std::string_view> parts) {
    return file.language == Language::shell && std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
               return line.code.find(part) != std::string::npos;
           });
}

bool asks_clock(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (shell_calls(file, line, {"date", "uptime"}) || shell_names(file, line, {"$EPOCH", "${EPOCH", "$SECONDS"}))
        return true;
    return is_code(file) &&
           (line.code.find("clock()") != std::string::npos ||
            has(tokens, {"clock_gettime", "gettimeofday", "rdtsc", "__rdtsc", "__rdtscp", "steady_clock",
                         "system_clock", "high_resolution_clock", "perf_counter", "perf_counter_ns", "monotonic",
                         "nanoTime", "currentTimeMillis", "getrusage", "timespec_get", "SystemTime"}) ||
            has_pair(tokens, "Instant", "now") || has_pair(tokens, "Date", "now") || has_pair(tokens, "time", "Now") ||
            has_pair(tokens, "performance", "now") || has_pair(tokens, "time", "time"));
}

bool asks_surroundings(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (!is_code(file))
        return false;
    if (shell_calls(file, line, {"hostname", "nproc", "uname", "id", "whoami", "tty"}) ||
        shell_names(file, line, {"$HOSTNAME", "${HOSTNAME", "/proc/", "/sys/", "$PPID"}))
        return true;
    if (has(tokens, {"getenv",
                     "secure_getenv",
                     "environ",
                     "isatty",
                     "sched_getaffinity",
                     "sysconf",
                     "get_nprocs",
                     "hardware_concurrency",
                     "gethostname",
                     "uname",
                     "getcwd",
                     "program_invocation_name",
                     "getppid",
                     "getpid",
                     "gettid",
                     "__progname",
                     "available_parallelism",
                     "cpu_count",
                     "availableProcessors",
                     "NumCPU",
                     "Hostname",
                     "UserCacheDir",
                     "UserHomeDir",
                     "LookupEnv",
                     "getlogin"}) ||
        has_pair(tokens, "os", "environ") || has_pair(tokens, "process", "env") || has_pair(tokens, "env", "var") ||
        has_pair(tokens, "os", "Getenv") || has_pair(tokens, "System", "getenv") || has_pair(tokens, "env", "args"))
        return true;
    if (line.code.find("argv[0]") != std::string::npos || line.code.find("args_os") != std::string::npos)
        return true;
    return names_path(line, {"/proc", "/sys/", "/inputs", "/out", "/expected", "/source", "/build", "/etc/hostname"});
}

/// `static T name = call(...)` at the beginning of a line: it runs before main.
bool is_static_call(const Line& line) {
    const Tokens& tokens = line.tokens;
    if (line.indent > 0 || tokens.size() < 6 || line.code.find("R\"") != std::string::npos ||
        has(tokens, {"constexpr", "constinit", "using", "typedef", "return"}) ||
        !has({tokens.front()}, {"static", "const", "inline", "std", "auto", "thread_local"}))
        return false;
    const auto equals = std::find(tokens.begin(), tokens.end(), "=");
    if (equals == tokens.end() || std::find(tokens.begin(), equals, "(") != equals)
        return false;
    const auto bracket = std::find(equals, tokens.end(), "(");
    return bracket != tokens.end() && is_word(*(bracket - 1)) &&
           !has({*(bracket - 1)}, {"sizeof", "alignof", "decltype"});
}

bool works_before_main(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    const bool attribute = has(line.tokens, {"constructor", "__constructor__", "init_priority", "ifunc"}) &&
                           has(line.tokens, {"__attribute__", "gnu", "__attribute"});
    return attribute || line.code.find("init_array") != std::string::npos ||
           line.code.find("#[ctor") != std::string::npos || line.code.find("__mod_init") != std::string::npos ||
           (file.language == Language::go && line.code.starts_with("func init()")) ||
           (file.language == Language::c && !file.path.ends_with(".c") && is_static_call(line));
}

bool starts_others(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (!is_code(file))
        return false;
    if (has(tokens, {"pthread_create",
                     "thrd_create",
                     "jthread",
                     "fork",
                     "vfork",
                     "clone",
                     "clone3",
                     "daemon",
                     "setsid",
                     "posix_spawn",
                     "posix_spawnp",
                     "execv",
                     "execve",
                     "execvp",
                     "execl",
                     "execlp",
                     "fexecve",
                     "system",
                     "popen",
                     "subprocess",
                     "multiprocessing",
                     "threading",
                     "ThreadPoolExecutor",
                     "ProcessPoolExecutor",
                     "child_process",
                     "Worker",
                     "ExecutorService",
                     "CompletableFuture",
                     "rayon",
                     "io_uring_setup",
                     "timer_create",
                     "nohup",
                     "setitimer"}) ||
        has_pair(tokens, "std", "thread") || has_pair(tokens, "std", "async") || has_pair(tokens, "thread", "spawn") ||
        has_pair(tokens, "tokio", "spawn"))
        return true;
    if (file.language == Language::go && line.code.starts_with("go "))
        return true;
    if (file.language == Language::shell &&
        (line.code.ends_with(" &") || shell_calls(file, line, {"disown", "coproc", "at", "systemd"})))
        return true;
    if (file.language == Language::go && has_pair(tokens, "exec", "Command"))
        return true;
    return line.code.starts_with("#pragma omp") || line.code.find("new Thread(") != std::string::npos;
}

bool reaches_out(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    if (shell_names(file, line, {"/tmp", "/dev/shm", "/var/", "~/", "$HOME"}) || shell_calls(file, line, {"mktemp"}) ||
        has(line.tokens, {"MkdirTemp", "CreateTemp", "TempDir"}))
        return true;
    return names_path(line, {"/tmp", "/dev/shm", "/var/", "/run/", "/home", "~/", "/root"}) || names_far_path(line) ||
           has(line.tokens, {"chdir",      "fchdir",        "shm_open",  "mkstemp",       "tmpfile",  "memfd_create",
                             "MAP_SHARED", "O_TMPFILE",     "mkfifo",    "mknod",         "symlink",  "symlinkat",
                             "shmget",     "posix_fadvise", "readahead", "MAP_POPULATE",  "mlockall", "tempfile",
                             "mkdtemp",    "gettempdir",    "tmpdir",    "createTempFile"});
}

bool touches_others(const File& file, const Line& line) {
    if (shell_calls(file, line, {"rm", "ulimit", "trap", "renice", "taskset"}) ||
        shell_names(file, line, {"export PATH", "PATH="}) || has_pair(line.tokens, "os", "remove") ||
        has_pair(line.tokens, "os", "Remove") || has_pair(line.tokens, "os", "RemoveAll") ||
        has_pair(line.tokens, "signal", "signal"))
        return true;
    return is_code(file) && has(line.tokens, {"kill",
                                              "killpg",
                                              "tgkill",
                                              "ptrace",
                                              "process_vm_readv",
                                              "process_vm_writev",
                                              "setrlimit",
                                              "prlimit",
                                              "prctl",
                                              "seccomp",
                                              "setpriority",
                                              "nice",
                                              "sched_setscheduler",
                                              "sched_setaffinity",
                                              "pthread_setaffinity_np",
                                              "truncate",
                                              "unlink",
                                              "unlinkat",
                                              "rmtree",
                                              "chmod",
                                              "chroot",
                                              "mount",
                                              "pidfd_open",
                                              "pidfd_getfd"});
}

bool talks(const File& file, const Line& line) {
    if (shell_names(file, line, {"/dev/tcp", "/dev/udp"}) || has_pair(line.tokens, "net", "Dial") ||
        (file.language == Language::go && line.texts == Tokens{"net"}))
        return true;
    return is_code(file) && (has(line.tokens, {"socket", "connect", "getaddrinfo", "curl", "wget", "urllib",
                                               "TcpStream", "UdpSocket", "fetch", "HttpClient", "http"}) ||
                             line.code.find("requests.get") != std::string::npos);
}

/// `os.fsync = ...`
bool replaces_member(const Tokens& tokens) {
    return tokens.size() > 4 &&
           has({tokens[0]}, {"os", "time", "sys", "io", "json", "random", "math", "threading", "builtins"}) &&
           tokens[1] == "." && tokens[3] == "=" && tokens[4] != "=";
}

/// `#define strtol(...)`: with a function's name, all in small letters; those that everybody defines are none.
bool is_macro_like_a_function(const Line& line) {
    const std::string& macro = line.tokens[2];
    return line.code.find(macro + "(") != std::string::npos &&
           std::none_of(macro.begin(), macro.end(), [](unsigned char c) { return std::isupper(c) != 0; }) &&
           !has({macro}, {"min", "max", "swap", "likely", "unlikely", "container_of", "countof", "prefetch"});
}

/// A definition of a function of the C library: `int fsync(int file) {`.
bool stands_in(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    if (has(line.tokens, {"dlsym", "dlopen", "RTLD_NEXT", "LD_PRELOAD", "LD_AUDIT", "__wrap", "__real"}))
        return true;
    // Python replaces what others import, Go links it under another name, a shell's function stands before a program.
    if (file.language == Language::python &&
        (has(line.tokens, {"setattr", "ctypes", "__import__", "exec", "eval", "importlib"}) ||
         replaces_member(line.tokens)))
        return true;
    if (file.language == Language::go && line.text.find("go:linkname") != std::string::npos)
        return true;
    if (file.language == Language::shell && line.tokens.size() > 2 && line.tokens[1] == "(" && line.tokens[2] == ")" &&
        has({line.tokens[0]}, {"sync", "cmp", "diff", "date", "test", "sort", "cat", "exit", "time"}))
        return true;
    // The second ones are good names for what is no function of the library, where functions can share a name.
    constexpr std::array names{"clock_gettime", "gettimeofday", "getrusage", "fsync",          "fdatasync",
                               "msync",         "malloc",       "calloc",    "realloc",        "memcmp",
                               "waitpid",       "nanosleep",    "getenv",    "sync_file_range"};
    constexpr std::array shared{"time",  "clock", "times", "free",   "read",  "write",  "open",
                                "close", "exit",  "fopen", "fwrite", "abort", "printf", "strcmp"};
    const auto name = [&](const std::string& token) {
        return std::find(names.begin(), names.end(), token) != names.end() ||
               (file.path.ends_with(".c") && std::find(shared.begin(), shared.end(), token) != shared.end());
    };
    const Tokens& tokens = line.tokens;
    if (file.language != Language::c || tokens.size() < 3)
        return false;
    if (tokens[0] == "#" && tokens[1] == "define" && (name(tokens[2]) || is_macro_like_a_function(line)))
        return true;
    if (line.indent > 0)
        return false;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i)
        if (tokens[i + 1] == "(" && name(tokens[i]) && (is_word(tokens[i - 1]) || tokens[i - 1] == "*") &&
            (line.code.ends_with('{') || line.code.ends_with('}') || line.follows.starts_with('{')))
            return true;
    return false;
}

bool assembles(const File& file, const Line& line) {
    return is_code(file) && has(line.tokens, {"asm", "__asm__", "__asm", "global_asm"});
}

std::string digits_of(std::string_view number) {
    std::string digits;
    for (const char c : number)
        if (std::isdigit(static_cast<unsigned char>(c)) != 0)
            digits += c;
    return digits;
}

bool looks_like_a_result(const std::string& token) {
    return is_number(token) && !token.starts_with("0x") && token.find('.') != std::string::npos &&
           digits_of(token).size() >= many_digits;
}

/// A line that has little but numbers, or two numbers of many digits, or a long text.
bool is_table_row(const File& file, const Line& line) {
    if (!is_code(file))
        return false;
    const auto numbers = static_cast<std::size_t>(std::count_if(line.tokens.begin(), line.tokens.end(), is_number));
    const auto words = static_cast<std::size_t>(std::count_if(line.tokens.begin(), line.tokens.end(), is_word));
    return (numbers >= 4 && words * 4 <= numbers) ||
           std::count_if(line.tokens.begin(), line.tokens.end(), looks_like_a_result) >= 2 ||
           (line.code.size() > table_bytes && has(line.tokens, {"\"\""}));
}

std::vector<Mark> tables(const std::vector<File>& files) {
    std::vector<Mark> rows = gained(files, is_table_row);
    std::size_t numbers = 0;
    bool result = false;
    for (const Mark& row : rows) {
        const Tokens& tokens = row.line.tokens;
        numbers += static_cast<std::size_t>(std::count_if(tokens.begin(), tokens.end(), is_number));
        result = result || std::any_of(tokens.begin(), tokens.end(), looks_like_a_result) ||
                 row.line.code.size() > table_bytes;
    }
    return numbers >= table_numbers || result ? rows : std::vector<Mark>();
}

bool is_size_word(const std::string& token) {
    const std::string small = lower_case(token);
    for (const char* part : {"count", "size", "len", "rows", "cols", "width", "height", "num"})
        if (small.find(part) != std::string::npos)
            return true;
    return small == "n" || small == "m";
}

/// 1700 may be the size of a workload; 4096, 255 and 1000 are everybody's.
bool is_odd_size(const std::string& token) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
    if (read.ec != std::errc() || value < smallest_size)
        return false;
    const auto power = [](std::uint64_t number) { return (number & (number - 1)) == 0; };
    return !power(value) && !power(value + 1) && !power(value - 1);
}

bool compares_size(const File& file, const Line& line) {
    const Tokens& tokens = line.tokens;
    if (!is_code(file))
        return false;
    for (std::size_t i = 1; i + 2 < tokens.size(); ++i)
        if (tokens[i] == "=" && tokens[i + 1] == "=") {
            std::size_t word = i - 1;
            while (word > 0 && (tokens[word] == ")" || tokens[word] == "("))
                --word;
            if ((is_size_word(tokens[word]) && is_odd_size(tokens[i + 2])) ||
                (is_odd_size(tokens[i - 1]) && is_size_word(tokens[i + 2])))
                return true;
        }
    return false;
}

Category adding(const char* name, const char* why, Finder finds) {
    return {name, why, [finds = std::move(finds)](const std::vector<File>& files) { return gained(files, finds); }};
}

} // namespace

std::vector<Category> added_categories() {
    return {
        adding("look: clock", "A program that asks what time it is may work less while it is measured.", asks_clock),
        adding("look: surroundings", "A program that asks where it runs may work less where it is measured.",
               asks_surroundings),
        adding("look: work before main", "It runs before a program's own clock does.", works_before_main),
        adding("look: threads or processes", "Work may go on elsewhere, and results may depend on who is first.",
               starts_others),
        adding("look: other files", "What one run leaves there another may find, or somebody else may wait for.",
               reaches_out),
        adding("look: other processes", "It reaches beyond the program's own work.", touches_others),
        adding("look: network", "Whoever answers there is no part of the program.", talks),
        adding("look: stands in for the library", "What others call is no longer what they think.", stands_in),
        adding("look: assembly", "No compiler and no sanitizer looks into it.", assembles),
        {"look: table of constants", "They may be answers to the inputs that the author saw.", tables},
        adding("look: exact size", "It may be fast for one workload alone.", compares_size),
    };
}

} // namespace holdfast::review::look
