// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/exports.hpp"

#include "app/cli/output.hpp"
#include "app/common/ssh_signatures.hpp"
#include "core/project/hash.hpp"
#include "core/project/text.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace holdfast::cli {

namespace fs = std::filesystem;

namespace {

std::string last_error() {
    return std::error_code(errno, std::generic_category()).message();
}

bool write_all(int descriptor, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += static_cast<std::size_t>(count);
    }
    return ::fsync(descriptor) == 0;
}

/// The whole text or nothing: written beside `file`, then moved there. Without `force` the move is a link, which fails
/// when something is there already, however late it came.
Result<void> write_whole(const fs::path& file, const std::string& text, bool force) {
    const std::string attempted = "write " + printable(file.string());
    std::string beside = file.string() + ".XXXXXX";
    const int descriptor = ::mkstemp(beside.data());
    if (descriptor < 0)
        return failed(attempted, last_error(), "Check the folder and its permissions");
    const mode_t mask = ::umask(0);
    ::umask(mask);
    bool written = ::fchmod(descriptor, 0666 & ~mask) == 0 && write_all(descriptor, text);
    std::string found = written ? "" : last_error();
    if (::close(descriptor) != 0 && written) {
        written = false;
        found = last_error();
    }
    bool there = false;
    if (written && (force ? ::rename(beside.c_str(), file.c_str()) : ::link(beside.c_str(), file.c_str())) != 0) {
        written = false;
        there = errno == EEXIST;
        found = last_error();
    }
    if (!written || !force)
        ::unlink(beside.c_str());
    std::error_code ignored;
    if (there)
        return invalid(attempted,
                       fs::is_directory(file, ignored) ? "it is a folder" : "there is a file of that name already",
                       fs::is_directory(file, ignored) ? "Name a file in it" : "Choose another name, or give --force");
    if (!written)
        return failed(attempted, found, "Free space or choose another folder");
    return {};
}

} // namespace

Result<int> export_trial(const Common& common, const ExportArguments& arguments) {
    auto format = review::find_format(arguments.format);
    if (!format)
        return tl::unexpected(format.error());
    auto repository = git::Repository::open(common.folder);
    if (!repository)
        return tl::unexpected(repository.error());
    auto store = open_history(common, db::SqliteStore::Mode::read);
    if (!store)
        return tl::unexpected(store.error());
    if ((*format)->carries_change)
        if (auto verified = (*store)->verified_head(); !verified)
            return tl::unexpected(verified.error());
    auto dossier = review::open_dossier(**store, *repository, common.folder, arguments.id);
    if (!dossier)
        return tl::unexpected(dossier.error());
    app::SshSignatures signatures; // to verify, no key is needed
    auto text = review::export_as(**format, *dossier, review::make_sheet(*dossier), *repository, signatures);
    if (!text)
        return tl::unexpected(text.error());
    if (!arguments.file.empty())
        if (auto written = write_whole(arguments.file, *text, arguments.force); !written)
            return tl::unexpected(written.error());
    if (common.json)
        print_document({{"schema", "holdfast/export/1"},
                        {"trial", dossier->trial.number},
                        {"format", (*format)->name},
                        {"file", arguments.file.empty() ? nlohmann::json(nullptr) : nlohmann::json(arguments.file)},
                        {"bytes", text->size()},
                        {"sha256", sha256(*text)},
                        {"text", arguments.file.empty() ? nlohmann::json(*text) : nlohmann::json(nullptr)}});
    else if (arguments.file.empty())
        std::fwrite(text->data(), 1, text->size(), stdout); // main() tells when it could not be written
    else
        fmt::print("{}: trial {} as {}, {} bytes\n", printable(arguments.file), dossier->trial.number, (*format)->name,
                   text->size());
    return Exit::done;
}

} // namespace holdfast::cli
