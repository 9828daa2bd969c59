// SPDX-License-Identifier: GPL-3.0-or-later
// An example is a folder with demo.json, which names the program it is built on and the data to generate. Its other
// files and the program's become the project; holdout.json becomes .holdfast/holdout.json.
#include "app/common/demo.hpp"

#include "app/common/demo_data.hpp"

#include <algorithm>
#include <fstream>
#include <git2.h>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

namespace holdfast::app {

namespace fs = std::filesystem;

namespace {

const std::string private_folder = ".holdfast";
const std::string description_file = "demo.json";
const std::string reinstall = "Install Holdfast again: its resources are damaged.";

/// Contents by path relative to the project.
using Files = std::map<std::string, std::string>;

struct Description {
    DemoInfo info;
    std::string program; ///< folder below examples
    Files data;
};

Result<std::string> read_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (!stream.is_open() || stream.bad())
        return failed("read " + file.string(), "it cannot be opened or read", reinstall);
    return bytes;
}

/// `generate`: making the data takes a few milliseconds that a listing does not need.
Result<Description> describe(const fs::path& example, bool generate) {
    const fs::path file = example / description_file;
    const auto text = read_file(file);
    if (!text)
        return tl::unexpected(text.error());
    try {
        const auto json = nlohmann::json::parse(*text);
        Description result;
        result.info.name = example.filename().string();
        json.at("about").get_to(result.info.about);
        json.at("propose").get_to(result.info.propose);
        json.at("program").get_to(result.program);
        if (!generate)
            return result;
        for (const auto& table : json.at("tables"))
            result.data[table.at("file")] = demo_table(table.at("seed"), table.at("rows"));
        for (const auto& queries : json.at("queries"))
            result.data[queries.at("file")] = demo_queries(queries.at("seed"), queries.at("count"));
        return result;
    } catch (const nlohmann::json::exception&) {
        return failed("read " + file.string(), "it is not what the program was delivered with", reinstall);
    }
}

/// Adds the files below `folder` to `files`.
Result<void> collect(const fs::path& folder, Files& files) {
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (!it->is_regular_file())
            continue;
        auto content = read_file(it->path());
        if (!content)
            return tl::unexpected(content.error());
        files[it->path().lexically_relative(folder).generic_string()] = std::move(*content);
    }
    if (code)
        return failed("read the folder " + folder.string(), code.message(), reinstall);
    return {};
}

/// Everything that the project will hold, .holdfast included.
Result<Files> contents(const fs::path& examples, const std::string& name) {
    auto description = describe(examples / name, true);
    if (!description)
        return tl::unexpected(description.error());
    Files files;
    for (const auto& folder : {examples / description->program, examples / name})
        if (auto collected = collect(folder, files); !collected)
            return tl::unexpected(collected.error());
    files.erase(description_file);
    if (auto holdout = files.extract("holdout.json")) {
        holdout.key() = private_folder + "/holdout.json";
        files.insert(std::move(holdout));
    }
    files.merge(description->data);
    return files;
}

bool is_private(const std::string& path) {
    return path.starts_with(private_folder + "/");
}

Result<void> write_files(const fs::path& project, const Files& files) {
    const auto problem = [](const fs::path& path, const std::string& found) {
        return failed("write " + path.string(), found, "Check the disk's free space and the folder's permissions.");
    };
    std::error_code code;
    // Closed to others before anything is in it.
    fs::create_directories(project / private_folder, code);
    if (!code)
        fs::permissions(project / private_folder, fs::perms::owner_all, code);
    if (code)
        return problem(project / private_folder, code.message());
    for (const auto& [path, content] : files) {
        const fs::path file = project / path;
        fs::create_directories(file.parent_path(), code);
        if (code)
            return problem(file.parent_path(), code.message());
        std::ofstream stream(file, std::ios::binary);
        stream << content;
        if (!stream.flush())
            return problem(file, "the system refused it");
    }
    return {};
}

class Libgit2 {
public:
    Libgit2() { git_libgit2_init(); }
    ~Libgit2() { git_libgit2_shutdown(); }
    Libgit2(const Libgit2&) = delete;
    Libgit2& operator=(const Libgit2&) = delete;
};

template <auto release> struct Release {
    template <class T> void operator()(T* handle) const { release(handle); }
};
template <class T, auto release> using Handle = std::unique_ptr<T, Release<release>>;

tl::unexpected<Error> git_failed(const std::string& attempted) {
    const git_error* error = git_error_last();
    return failed(attempted, error && error->message ? error->message : "git gave no reason",
                  "Check the disk's free space, the folder's permissions and your git configuration.");
}

/// Makes `project` a repository and commits all of `files` that is not private. The index takes the bytes from memory:
/// filters and line ending rules of the user's configuration cannot change what every other machine commits.
Result<void> commit(const fs::path& project, const Files& files, const std::string& message) {
    const Libgit2 library;
    const std::string attempted = "make a git repository in " + project.string();

    git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
    options.flags = GIT_REPOSITORY_INIT_NO_REINIT;
    options.initial_head = "main";
    git_repository* raw_repository = nullptr;
    if (git_repository_init_ext(&raw_repository, project.c_str(), &options) != 0)
        return git_failed(attempted);
    const Handle<git_repository, git_repository_free> repository(raw_repository);

    std::error_code code;
    const fs::path exclude = project / ".git" / "info" / "exclude";
    fs::create_directories(exclude.parent_path(), code);
    std::ofstream stream(exclude, std::ios::app);
    stream << private_folder << "/\n";
    if (!stream.flush())
        return failed("write " + exclude.string(), "the system refused it", "Check the disk's free space.");

    git_index* raw_index = nullptr;
    if (git_repository_index(&raw_index, repository.get()) != 0)
        return git_failed(attempted);
    const Handle<git_index, git_index_free> index(raw_index);
    for (const auto& [path, content] : files) {
        if (is_private(path))
            continue;
        git_index_entry entry{};
        entry.path = path.c_str();
        entry.mode = GIT_FILEMODE_BLOB;
        if (git_index_add_from_buffer(index.get(), &entry, content.data(), content.size()) != 0)
            return git_failed(attempted);
    }
    git_oid tree_id, commit_id;
    if (git_index_write_tree(&tree_id, index.get()) != 0 || git_index_write(index.get()) != 0)
        return git_failed(attempted);
    git_tree* raw_tree = nullptr;
    if (git_tree_lookup(&raw_tree, repository.get(), &tree_id) != 0)
        return git_failed(attempted);
    const Handle<git_tree, git_tree_free> tree(raw_tree);
    // Nobody's own name: the commit is not the user's work, and none may be configured yet.
    git_signature* raw_signature = nullptr;
    if (git_signature_now(&raw_signature, "Holdfast demo", "demo@localhost") != 0)
        return git_failed(attempted);
    const Handle<git_signature, git_signature_free> signature(raw_signature);
    if (git_commit_create_v(&commit_id, repository.get(), "HEAD", signature.get(), signature.get(), nullptr,
                            message.c_str(), tree.get(), 0) != 0)
        return git_failed(attempted);
    return {};
}

/// Takes back what a failed attempt left in a folder that was empty before.
void remove_traces(const fs::path& project, const Files& files, bool folder_existed) {
    std::set<fs::path> top = {".git", private_folder};
    for (const auto& [path, content] : files)
        top.insert(*fs::path(path).begin());
    std::error_code ignored; // the first failure is what the user is told
    for (const auto& entry : top)
        fs::remove_all(project / entry, ignored);
    if (!folder_existed)
        fs::remove(project, ignored);
}

} // namespace

Result<std::vector<DemoInfo>> list_demos(const fs::path& resources) {
    const fs::path examples = resources / "examples";
    std::error_code code;
    std::vector<DemoInfo> demos;
    for (fs::directory_iterator it(examples, code), end; !code && it != end; it.increment(code)) {
        if (!fs::exists(it->path() / description_file, code))
            continue;
        auto description = describe(it->path(), false);
        if (!description)
            return tl::unexpected(description.error());
        demos.push_back(std::move(description->info));
    }
    if (code)
        return failed("list the examples in " + examples.string(), code.message(), reinstall);
    std::sort(demos.begin(), demos.end(), [](const auto& left, const auto& right) { return left.name < right.name; });
    return demos;
}

Result<fs::path> make_demo(const std::string& name, const fs::path& folder, const fs::path& resources) {
    const auto demos = list_demos(resources);
    if (!demos)
        return tl::unexpected(demos.error());
    if (std::none_of(demos->begin(), demos->end(), [&](const DemoInfo& demo) { return demo.name == name; })) {
        std::string names;
        for (const auto& demo : *demos)
            names += (names.empty() ? "" : ", ") + demo.name;
        return invalid("make the example '" + name + "'", "there is none of that name",
                       "Choose one of: " + names + ".");
    }

    std::error_code code;
    const fs::path project = fs::absolute(folder, code).lexically_normal();
    const bool folder_existed = !code && fs::exists(project, code);
    const bool usable = !code && (!folder_existed || (fs::is_directory(project, code) && fs::is_empty(project, code)));
    const std::string attempted = "make the example '" + name + "' in " + project.string();
    if (code)
        return failed(attempted, code.message(), "Name a folder that you may write to.");
    if (!usable)
        return invalid(attempted, "it exists and is not an empty folder", "Name a new folder.");

    const auto files = contents(resources / "examples", name);
    if (!files)
        return tl::unexpected(files.error());
    auto made = write_files(project, *files);
    if (made)
        made = commit(project, *files, "Start from Holdfast's example " + name + "\n");
    if (!made) {
        remove_traces(project, *files, folder_existed);
        return tl::unexpected(made.error());
    }
    return project;
}

} // namespace holdfast::app
