// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/hash.hpp"

#include "core/project/text.hpp"
#include "core/project/value.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast {

namespace {

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string hexadecimal(const Digest& digest, unsigned size) {
    std::string text;
    for (unsigned i = 0; i < size; ++i)
        text += fmt::format("{:02x}", digest[i]);
    return text;
}

class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0)
            ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

} // namespace

std::string sha256(std::string_view bytes) {
    Digest digest{};
    unsigned size = 0;
    // Fails only when the machine's OpenSSL has no SHA-256 at all: nothing could be bound to anything then.
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        std::abort();
    return hexadecimal(digest, size);
}

Result<std::string> sha256_file(const std::filesystem::path& path) {
    constexpr const char* check_disk = "Check the disk that holds the file.";
    const std::string attempted = "hash the file " + printable(path.native());
    // O_NONBLOCK: opening a pipe that nobody writes must not wait for ever.
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() < 0) {
        if (errno == ELOOP)
            return failed(attempted, "it is a symbolic link", "Name the file it points to.");
        return failed(attempted, std::strerror(errno), "Check that the file exists and can be read.");
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0)
        return failed(attempted, std::strerror(errno), check_disk);
    if (!S_ISREG(status.st_mode))
        return failed(attempted, "it is not a regular file", "Name a regular file.");

    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1)
        return failed(attempted, "OpenSSL offers no SHA-256", "Install OpenSSL 3 as the distribution configures it.");
    std::vector<char> buffer(std::size_t{1} << 16);
    for (;;) {
        const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failed(attempted, std::strerror(errno), check_disk);
        if (count == 0)
            break;
        if (EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(count)) != 1)
            return failed(attempted, "OpenSSL stopped half-way", "Check the installation of OpenSSL.");
    }
    Digest digest{};
    unsigned size = 0;
    if (EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1)
        return failed(attempted, "OpenSSL stopped half-way", "Check the installation of OpenSSL.");
    return hexadecimal(digest, size);
}

namespace {

// The writer below recurses once per level, and so does nlohmann's.
constexpr int deepest_json = 1000;

bool too_deep(std::string_view json) {
    int depth = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_text) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_text = false;
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            if (++depth > deepest_json)
                return true;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return false;
}

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// nlohmann's own dump() writes 1.0 and 1 differently and some doubles with more digits than needed.
void write_canonical(const nlohmann::json& value, std::string& out) {
    if (value.is_object()) {
        char separator = '{';
        for (const auto& [key, member] : value.items()) { // std::map: bytewise order
            out += separator;
            out += json_text(key) + ':';
            write_canonical(member, out);
            separator = ',';
        }
        out += value.empty() ? "{}" : "}";
    } else if (value.is_array()) {
        char separator = '[';
        for (const auto& item : value) {
            out += separator;
            write_canonical(item, out);
            separator = ',';
        }
        out += value.empty() ? "[]" : "]";
    } else if (value.is_number_float()) {
        const double number = value.get<double>();
        out += number == 0 ? "0" : to_text(Value(number)); // -0 would read back as the integer 0
    } else if (value.is_string()) {
        out += json_text(value.get_ref<const std::string&>());
    } else {
        out += value.dump();
    }
}

} // namespace

std::string canonical_json(std::string_view json) {
    const auto value = too_deep(json) ? nlohmann::json(nlohmann::json::value_t::discarded)
                                      : nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
    // Callers pass JSON; should one ever not, different texts must still not share a digest.
    if (value.is_discarded())
        return json_text(printable(json));
    std::string out;
    write_canonical(value, out);
    return out;
}

namespace {

// RFC 9562, section 6.2, method 2: within one millisecond the 74 random bits count upwards by random steps.
struct UuidState {
    std::mutex mutex;
    std::uint64_t milliseconds = 0;
    std::uint64_t high = 0; // 12 bits
    std::uint64_t low = 0;  // 62 bits
};

constexpr std::uint64_t bits_of_low = (std::uint64_t{1} << 62) - 1;

std::array<std::uint64_t, 2> random_words() {
    std::array<std::uint64_t, 2> words{};
    if (RAND_bytes(reinterpret_cast<unsigned char*>(words.data()), sizeof words) != 1)
        std::abort(); // ids that may repeat would mix up two trials
    return words;
}

} // namespace

std::string uuid_v7() {
    static UuidState state;
    const auto random = random_words();
    const auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    const std::lock_guard lock(state.mutex);
    const auto milliseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(now, 0));
    bool fresh = milliseconds > state.milliseconds;
    if (fresh) {
        state.milliseconds = milliseconds;
    } else { // the same millisecond, or the clock went back
        state.low += 1 + (random[0] & 0xffffffffU);
        if (state.low > bits_of_low) {
            state.low &= bits_of_low;
            fresh = ++state.high > 0xfff;
            state.milliseconds += fresh ? 1 : 0;
        }
    }
    if (fresh) {
        state.high = random[1] & 0xfff;
        state.low = random[0] & bits_of_low;
    }
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", (state.milliseconds >> 16) & 0xffffffffU,
                       state.milliseconds & 0xffffU, 0x7000U | state.high, 0x8000U | (state.low >> 48),
                       state.low & 0xffffffffffffU);
}

} // namespace holdfast
