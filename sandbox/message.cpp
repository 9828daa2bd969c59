// SPDX-License-Identifier: GPL-3.0-or-later
#include "sandbox/message.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <type_traits>

namespace holdfast::sandbox {
namespace {

constexpr std::uint32_t longest_message = 1U << 30;

class Writer {
public:
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Writer& operator<<(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Writer& operator<<(const std::string& text) {
        *this << std::uint64_t(text.size());
        bytes_ += text;
        return *this;
    }
    template <class Period> Writer& operator<<(std::chrono::duration<std::int64_t, Period> time) {
        return *this << std::int64_t(time.count());
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// After the first read past the end every value is zero and ok() is false.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Reader& operator>>(T& value) {
        value = T{};
        if (!need(sizeof value))
            return *this;
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_.remove_prefix(sizeof value);
        return *this;
    }
    Reader& operator>>(std::string& text) {
        std::uint64_t size = 0;
        *this >> size;
        if (!need(size))
            size = 0;
        text.assign(bytes_.substr(0, size));
        bytes_.remove_prefix(size);
        return *this;
    }
    template <class Period> Reader& operator>>(std::chrono::duration<std::int64_t, Period>& time) {
        std::int64_t count = 0;
        *this >> count;
        time = std::chrono::duration<std::int64_t, Period>(count);
        return *this;
    }
    bool need(std::uint64_t size) {
        ok_ = ok_ && size <= bytes_.size();
        return ok_;
    }
    bool ok() const { return ok_; }
    bool finished() const { return ok_ && bytes_.empty(); }

private:
    std::string_view bytes_;
    bool ok_ = true;
};

void write(Writer& out, const study::Usage& usage) {
    out << usage.wall << usage.user << usage.system << usage.minor_faults << usage.major_faults
        << usage.voluntary_switches << usage.involuntary_switches << usage.peak_memory_bytes << usage.memory_source
        << usage.queue_wait << usage.background << usage.instructions.has_value() << usage.instructions.value_or(0);
}

void read(Reader& in, study::Usage& usage) {
    in >> usage.wall >> usage.user >> usage.system >> usage.minor_faults >> usage.major_faults >>
        usage.voluntary_switches >> usage.involuntary_switches >> usage.peak_memory_bytes >> usage.memory_source >>
        usage.queue_wait >> usage.background;
    bool counted = false;
    std::uint64_t instructions = 0;
    in >> counted >> instructions;
    if (counted)
        usage.instructions = instructions;
}

void write(Writer& out, const std::vector<std::string>& texts) {
    out << std::uint64_t(texts.size());
    for (const std::string& text : texts)
        out << text;
}

void read(Reader& in, std::vector<std::string>& texts) {
    std::uint64_t count = 0;
    in >> count;
    for (; in.ok() && count > 0; --count)
        in >> texts.emplace_back();
}

void write(Writer& out, const study::Observed& observed) {
    for (const auto* counts : {&observed.calls, &observed.brought}) {
        out << std::uint64_t(counts->size());
        for (const auto& [name, count] : *counts)
            out << name << count;
    }
    out << std::uint64_t(observed.synced.size());
    for (const auto& [path, synced] : observed.synced)
        out << path << synced.syncs << synced.last;
    out << observed.synced_whole << observed.processes << observed.threads << observed.most_threads
        << observed.files_opened << observed.looks_for_watcher << observed.denormals_flushed
        << observed.rounding_changed << observed.whole;
}

void read(Reader& in, study::Observed& observed) {
    std::uint64_t count = 0;
    std::string name;
    for (auto* counts : {&observed.calls, &observed.brought}) {
        in >> count;
        for (; in.ok() && count > 0; --count) {
            in >> name;
            in >> (*counts)[name];
        }
    }
    in >> count;
    for (; in.ok() && count > 0; --count) {
        in >> name;
        study::Synced& synced = observed.synced[name];
        in >> synced.syncs >> synced.last;
    }
    in >> observed.synced_whole >> observed.processes >> observed.threads >> observed.most_threads >>
        observed.files_opened >> observed.looks_for_watcher >> observed.denormals_flushed >>
        observed.rounding_changed >> observed.whole;
}

bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes.remove_prefix(std::size_t(sent));
    }
    return true;
}

bool receive_all(int socket, char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t got = ::recv(socket, bytes, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        size -= std::size_t(got);
    }
    return true;
}

} // namespace

std::string encode(const study::Execution& execution) {
    Writer out;
    out << execution.phase << execution.network << execution.count_instructions << execution.sanitizer
        << execution.observe << execution.processors << execution.server.has_value();
    write(out, execution.argv);
    write(out, execution.read);
    if (execution.server) {
        for (const Argv* argv : {&execution.server->start, &execution.server->ready, &execution.server->stop})
            write(out, *argv);
        out << execution.server->limit;
    }
    out << std::uint64_t(execution.environment.size());
    for (const auto& [name, value] : execution.environment)
        out << name << value;
    out << execution.folder << std::uint64_t(execution.mounts.size());
    for (const study::Mount& mount : execution.mounts)
        out << mount.host.native() << mount.inside << mount.writable;
    const study::ExecutionLimits& limits = execution.limits;
    out << limits.memory_bytes << limits.processes << limits.file_bytes << limits.disk_bytes << limits.output_bytes
        << limits.time;
    return out.take();
}

std::optional<study::Execution> decode_execution(std::string_view payload) {
    Reader in(payload);
    study::Execution execution;
    std::uint64_t count = 0;
    bool has_server = false;
    in >> execution.phase >> execution.network >> execution.count_instructions >> execution.sanitizer >>
        execution.observe >> execution.processors >> has_server;
    read(in, execution.argv);
    read(in, execution.read);
    if (has_server) {
        study::Beside& server = execution.server.emplace();
        for (Argv* argv : {&server.start, &server.ready, &server.stop})
            read(in, *argv);
        in >> server.limit;
    }
    in >> count;
    for (; in.ok() && count > 0; --count) {
        auto& [name, value] = execution.environment.emplace_back();
        in >> name >> value;
    }
    in >> execution.folder >> count;
    for (; in.ok() && count > 0; --count) {
        std::string host;
        study::Mount& mount = execution.mounts.emplace_back();
        in >> host >> mount.inside >> mount.writable;
        mount.host = host;
    }
    study::ExecutionLimits& limits = execution.limits;
    in >> limits.memory_bytes >> limits.processes >> limits.file_bytes >> limits.disk_bytes >> limits.output_bytes >>
        limits.time;
    if (!in.finished() || execution.argv.empty() || (execution.server && execution.server->start.empty()))
        return std::nullopt;
    return execution;
}

std::string encode(const Reply& reply) {
    Writer out;
    const study::ExecutionResult& result = reply.result;
    out << reply.failure << reply.stage << reply.over << reply.groups << reply.groupless << result.ending << result.code
        << result.reason << result.standard_output << result.standard_error << result.server_output;
    write(out, result.usage);
    out << result.observed.has_value();
    if (result.observed)
        write(out, *result.observed);
    return out.take();
}

std::optional<Reply> decode_reply(std::string_view payload) {
    Reader in(payload);
    Reply reply;
    study::ExecutionResult& result = reply.result;
    in >> reply.failure >> reply.stage >> reply.over >> reply.groups >> reply.groupless >> result.ending >>
        result.code >> result.reason >> result.standard_output >> result.standard_error >> result.server_output;
    read(in, result.usage);
    bool observed = false;
    in >> observed;
    if (observed)
        read(in, result.observed.emplace());
    if (!in.finished())
        return std::nullopt;
    return reply;
}

bool send_message(int socket, MessageKind kind, std::string_view payload) {
    const auto size = std::uint32_t(payload.size());
    std::string head(sizeof size + 1, static_cast<char>(kind));
    std::memcpy(head.data(), &size, sizeof size);
    return payload.size() <= longest_message && send_all(socket, head) && send_all(socket, payload);
}

std::optional<Message> receive_message(int socket) {
    char head[sizeof(std::uint32_t) + 1];
    if (!receive_all(socket, head, sizeof head))
        return std::nullopt;
    std::uint32_t size = 0;
    std::memcpy(&size, head, sizeof size);
    if (size > longest_message)
        return std::nullopt;
    Message message{static_cast<MessageKind>(head[sizeof size]), std::string(size, '\0')};
    if (!receive_all(socket, message.payload.data(), size))
        return std::nullopt;
    return message;
}

} // namespace holdfast::sandbox
