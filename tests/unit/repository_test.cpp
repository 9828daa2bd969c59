// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/git/repository.hpp"
#include "tests/catch.h"
#include "tests/scratch.hpp"

#include <algorithm>
#include <map>
#include <sys/stat.h>

using namespace holdfast;
using git::Entry;
using git::Repository;
using test::ScratchFolder;
using test::ScratchRepository;

// libgit2 1.5 loses a match buffer of PCRE2 for each extension of a repository that it opens.
extern "C" const char* __lsan_default_suppressions() { // NOLINT(bugprone-reserved-identifier): the sanitizer's name
    return "leak:libpcre2";
}

namespace {

/// A variable of this process, as it was before when it goes.
class Variable {
public:
    Variable(std::string name, const std::string& value) : name_(std::move(name)) {
        if (const char* before = std::getenv(name_.c_str()))
            before_ = before;
        REQUIRE(setenv(name_.c_str(), value.c_str(), 1) == 0);
    }
    ~Variable() {
        if (before_)
            setenv(name_.c_str(), before_->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

Repository open(const std::filesystem::path& folder) {
    auto repository = Repository::open(folder);
    if (!repository)
        throw std::runtime_error(repository.error().message());
    return *repository;
}

git::Commit head(const Repository& repository) {
    auto commit = repository.resolve();
    if (!commit)
        throw std::runtime_error(commit.error().message());
    return *commit;
}

/// Every file below `folder` with its bytes, size and time of change.
std::map<std::string, std::string> listing(const std::filesystem::path& folder) {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const auto stamp = std::to_string(entry.last_write_time().time_since_epoch().count());
        found[entry.path().string()] = stamp + (entry.is_regular_file() ? test::read_text(entry.path()) : "");
    }
    return found;
}

mode_t mode_of(const std::filesystem::path& file) {
    struct stat status {};
    if (::lstat(file.c_str(), &status) != 0)
        throw std::runtime_error("no " + file.string());
    return status.st_mode;
}

void symlink(const ScratchRepository& scratch, const std::string& target, const std::string& name) {
    std::filesystem::create_directories((scratch.path() / name).parent_path());
    std::filesystem::create_symlink(target, scratch.path() / name);
}

} // namespace

TEST_CASE("a repository is found from a folder inside it") {
    const ScratchRepository scratch;
    scratch.write("program/src/main.c", "int main(void) { return 0; }\n");
    const auto id = scratch.commit("First");

    const auto inner = open(scratch.path() / "program" / "src");
    CHECK(inner.prefix() == "program/src/");
    CHECK(open(scratch.path()).prefix().empty());
    const auto commit = head(inner);
    CHECK(commit.id == id);
    CHECK(commit.tree == ScratchRepository::first_line(scratch.git({"rev-parse", "HEAD^{tree}"})));
    CHECK(inner.resolve("main")->id == id);
    CHECK(inner.resolve(id.substr(0, 8))->id == id);
    scratch.git({"tag", "-a", "-m", "A tag", "v1"});
    CHECK(inner.resolve("v1")->id == id);
}

TEST_CASE("a repository that cannot be used says why and what to do") {
    SECTION("no repository") {
        const ScratchFolder folder;
        const auto error = Repository::open(folder.path()).error();
        CHECK(error.kind == Error::Kind::invalid);
        CHECK_THAT(error.message(), ContainsSubstring("git init"));
    }
    SECTION("no such folder") {
        CHECK(Repository::open("/nowhere/at/all").error().kind == Error::Kind::invalid);
    }
    SECTION("bare") {
        const ScratchRepository scratch({"--bare"});
        CHECK_THAT(Repository::open(scratch.path()).error().message(), ContainsSubstring("bare"));
    }
    SECTION("git's own folder") {
        const ScratchRepository scratch;
        CHECK_THAT(Repository::open(scratch.path() / ".git" / "info").error().message(),
                   ContainsSubstring("git's own"));
    }
    SECTION("no commit yet") {
        const ScratchRepository scratch;
        const auto error = open(scratch.path()).resolve().error();
        CHECK(error.kind == Error::Kind::invalid);
        CHECK_THAT(error.message(), ContainsSubstring("no commit") && ContainsSubstring("git commit"));
    }
    SECTION("an unknown revision") {
        const ScratchRepository scratch;
        scratch.commit("Empty");
        CHECK_THAT(open(scratch.path()).resolve("topic").error().message(), ContainsSubstring("topic"));
        CHECK_FALSE(open(scratch.path()).resolve("HEAD^{tree}"));
        CHECK_FALSE(open(scratch.path()).resolve(""));
    }
    SECTION("SHA-256 object names") {
        const ScratchRepository scratch({"--object-format=sha256"});
        scratch.write("a", "a\n");
        scratch.commit("First");
        CHECK_THAT(Repository::open(scratch.path()).error().message(), ContainsSubstring("SHA-256"));
    }
    SECTION("an unknown extension") {
        const ScratchRepository scratch;
        scratch.git({"config", "core.repositoryformatversion", "1"});
        scratch.git({"config", "extensions.surprise", "true"});
        CHECK_THAT(Repository::open(scratch.path()).error().message(), ContainsSubstring("surprise"));
    }
}

TEST_CASE("another user's repository is told by name, and safe.directory lets it be used") {
    if (::geteuid() != 0) {
        WARN("only root can give a file to another user: not tested");
        return;
    }
    const ScratchRepository scratch;
    scratch.write("a", "a\n");
    scratch.commit("First");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
        REQUIRE(::lchown(entry.path().c_str(), 12345, 12345) == 0);
    REQUIRE(::lchown(scratch.path().c_str(), 12345, 12345) == 0);
    CHECK_THAT(Repository::open(scratch.path()).error().message(),
               ContainsSubstring("another user") &&
                   ContainsSubstring("safe.directory '" + scratch.path().string() + "'"));
    const auto config = test::scratch_home().path() / ".gitconfig";
    test::write_text(config, "[safe]\n\tdirectory = " + scratch.path().string() + "\n");
    const auto opened = Repository::open(scratch.path());
    std::filesystem::remove(config);
    CHECK(opened);
}

TEST_CASE("repositories with the extensions that only concern writers open") {
    const ScratchRepository scratch;
    scratch.write("a", "a\n");
    const auto id = scratch.commit("First");
    scratch.git({"config", "core.repositoryformatversion", "1"});
    for (const char* extension : {"extensions.worktreeConfig", "extensions.preciousObjects"})
        scratch.git({"config", extension, "true"});
    scratch.git({"config", "extensions.partialClone", "origin"});
    CHECK(head(open(scratch.path())).id == id);
}

TEST_CASE("linked worktrees and shallow clones work") {
    const ScratchRepository scratch;
    scratch.write("a", "one\n");
    scratch.commit("First");
    scratch.write("a", "two\n");
    const auto second = scratch.commit("Second");
    const ScratchFolder folder;

    SECTION("linked worktree") {
        const auto linked = folder.path() / "linked";
        scratch.git({"worktree", "add", "-q", "-b", "topic", linked.string(), "HEAD~1"});
        const auto repository = open(linked);
        CHECK(repository.read(head(repository), "a").value()->content == "one\n");
        REQUIRE(repository.exclude(".holdfast/"));
        CHECK_THAT(test::read_text(scratch.path() / ".git" / "info" / "exclude"), ContainsSubstring(".holdfast/\n"));
    }
    SECTION("linked worktree of a bare repository") {
        scratch.git({"clone", "-q", "--bare", ".", (folder.path() / "bare").string()});
        const auto linked = folder.path() / "linked";
        scratch.git({"-C", (folder.path() / "bare").string(), "worktree", "add", "-q", linked.string()});
        CHECK(head(open(linked)).id == second);
    }
    SECTION("partial clone without the contents") {
        scratch.git({"config", "uploadpack.allowFilter", "true"});
        const auto clone = folder.path() / "clone", tree = folder.path() / "tree";
        scratch.git({"clone", "-q", "--no-checkout", "--filter=blob:none", "file://" + scratch.path().string(),
                     clone.string()});
        const auto repository = open(clone);
        const auto done = repository.export_tree(head(repository), tree);
        REQUIRE_FALSE(done);
        CHECK_THAT(done.error().message(), ContainsSubstring("read a") && ContainsSubstring("git fetch --refetch"));
        CHECK_FALSE(std::filesystem::exists(tree));
        CHECK_FALSE(repository.read(head(repository), "a"));
    }
    SECTION("shallow clone") {
        const auto clone = folder.path() / "clone";
        scratch.git({"clone", "-q", "--depth", "1", "file://" + scratch.path().string(), clone.string()});
        const auto repository = open(clone);
        CHECK(head(repository).id == second);
        CHECK(repository.export_tree(head(repository), folder.path() / "tree"));
        CHECK_THAT(repository.resolve("HEAD~1").error().message(), ContainsSubstring("--unshallow"));
    }
}

TEST_CASE("entries are read with their kind") {
    const ScratchRepository scratch;
    scratch.write("src/a.c", std::string("a\0b\r\n", 5));
    scratch.write("run.sh", "#!/bin/sh\n");
    std::filesystem::permissions(scratch.path() / "run.sh", std::filesystem::perms::owner_all);
    symlink(scratch, "src/a.c", "link");
    scratch.commit("First");
    const auto repository = open(scratch.path());
    const auto commit = head(repository);
    const auto kind = [&](const std::string& path) { return repository.read(commit, path).value()->kind; };

    CHECK(repository.read(commit, "src/a.c").value()->content == std::string("a\0b\r\n", 5));
    CHECK(kind("src/a.c") == Entry::Kind::file);
    CHECK(kind("run.sh") == Entry::Kind::executable);
    CHECK(kind("link") == Entry::Kind::symlink);
    CHECK(repository.read(commit, "link").value()->content == "src/a.c");
    CHECK(kind("src") == Entry::Kind::folder);
    CHECK(kind("src/") == Entry::Kind::folder);
    CHECK(kind("") == Entry::Kind::folder);
    for (const char* absent : {"b", "src/b", "src/a.c/x", "nowhere/b"})
        CHECK_FALSE(repository.read(commit, absent).value());
}

TEST_CASE("an export holds the committed bytes, modes and inner links, and nothing else") {
    const ScratchRepository scratch;
    const std::string large(48 << 20, 'x');
    scratch.write(".gitattributes", "*.txt text eol=crlf\nsecret export-ignore\n");
    scratch.write("a.txt", "one\ntwo\n");
    scratch.write("data/large.bin", large);
    scratch.write("data/held/out.bin", "held-out");
    scratch.write("data/held.bin", "held-out");
    scratch.write("secret", "kept\n");
    scratch.write("deep/er/run.sh", "#!/bin/sh\n");
    std::filesystem::permissions(scratch.path() / "deep/er/run.sh", std::filesystem::perms::owner_all);
    symlink(scratch, "../a.txt", "deep/link");
    symlink(scratch, "deep/er", "folder-link");
    symlink(scratch, "not/there", "dangling");
    scratch.commit("First");
    scratch.write("untracked", "no");
    scratch.write("a.txt", "changed in the working tree\n");
    const ScratchFolder folder;
    const auto tree = folder.path() / "new" / "tree";
    const auto repository = open(scratch.path());

    const auto mask = ::umask(0077);
    const auto done = repository.export_tree(head(repository), tree, {"data/held/", "data/held.bin"});
    ::umask(mask);
    REQUIRE(done);
    CHECK(test::read_text(tree / "a.txt") == "one\ntwo\n");
    CHECK(test::read_text(tree / "secret") == "kept\n");
    CHECK((test::read_text(tree / "data/large.bin") == large));
    CHECK(mode_of(tree / "a.txt") == (S_IFREG | 0644));
    CHECK(mode_of(tree / "deep/er/run.sh") == (S_IFREG | 0755));
    CHECK(mode_of(tree / "deep/er") == (S_IFDIR | 0755));
    CHECK(std::filesystem::read_symlink(tree / "deep/link") == "../a.txt");
    CHECK(std::filesystem::read_symlink(tree / "folder-link") == "deep/er");
    CHECK(std::filesystem::is_symlink(tree / "dangling"));
    for (const char* absent : {"untracked", ".git", "data/held", "data/held.bin"})
        CHECK_FALSE(std::filesystem::exists(tree / absent));

    SECTION("the destination must be new") {
        CHECK_FALSE(repository.export_tree(head(repository), tree));
        CHECK(std::filesystem::exists(tree / "a.txt"));
    }
}

TEST_CASE("a link that leaves the tree is an error that names it, and leaves nothing behind") {
    const auto [name, target] = GENERATE(table<std::string, std::string>({
        {"out", "/etc/passwd"},
        {"out", "../outside"},
        {"deep/out", "../../outside"},
        {"deep/out", "er/../../../outside"},
        {"deep/out", "top/../x"}, // "deep/top" leads to the root
        {"deep/er/out", "../top/../../x"},
    }));
    CAPTURE(name, target);
    const ScratchRepository scratch;
    scratch.write("deep/er/file", "x\n");
    symlink(scratch, "..", "deep/top");
    symlink(scratch, target, name);
    scratch.commit("First");
    const ScratchFolder folder;
    const auto repository = open(scratch.path());
    const auto done = repository.export_tree(head(repository), folder.path() / "tree");
    REQUIRE_FALSE(done);
    CHECK_THAT(done.error().message(), ContainsSubstring(name) && ContainsSubstring("leaves the repository"));
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("links in a circle and links through links are exported") {
    const ScratchRepository scratch;
    symlink(scratch, "b", "a");
    symlink(scratch, "a", "b");
    symlink(scratch, "..", "deep/top");
    symlink(scratch, "top/deep/top/file", "deep/file");
    scratch.write("file", "x\n");
    scratch.commit("First");
    const ScratchFolder folder;
    const auto repository = open(scratch.path());
    REQUIRE(repository.export_tree(head(repository), folder.path() / "tree"));
    CHECK(test::read_text(folder.path() / "tree/deep/file") == "x\n");
}

TEST_CASE("an LFS pointer is an error that names git lfs pull; pulled content is exported") {
    const ScratchRepository scratch;
    const auto real =
        ScratchRepository::first_line(test::run_program({"sha256sum"}, scratch.path(), "large\n").output).substr(0, 64);
    scratch.write("data.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:" + real + "\nsize 6\n");
    scratch.commit("First");
    const ScratchFolder folder;
    const auto repository = open(scratch.path());
    const auto commit = head(repository);
    const auto done = repository.export_tree(commit, folder.path() / "tree");
    REQUIRE_FALSE(done);
    CHECK_THAT(done.error().message(), ContainsSubstring("data.bin") && ContainsSubstring("git lfs pull"));
    CHECK(repository.export_tree(commit, folder.path() / "tree", {"data.bin"}));

    const auto object = ".git/lfs/objects/" + real.substr(0, 2) + "/" + real.substr(2, 2) + "/" + real;
    scratch.write(object, "forged");
    CHECK_FALSE(repository.export_tree(commit, folder.path() / "forged"));
    scratch.write(object, "large\n");
    REQUIRE(repository.export_tree(commit, folder.path() / "pulled"));
    CHECK(test::read_text(folder.path() / "pulled/data.bin") == "large\n");
}

TEST_CASE("a submodule is refused by name with a remedy") {
    const ScratchRepository library, scratch;
    library.write("lib.c", "\n");
    library.commit("Library");
    scratch.git({"submodule", "--quiet", "add", library.path().string(), "third/lib"});
    scratch.commit("First");
    const ScratchFolder folder;
    const auto repository = open(scratch.path());
    const auto done = repository.export_tree(head(repository), folder.path() / "tree");
    REQUIRE_FALSE(done);
    CHECK_THAT(done.error().message(), ContainsSubstring("third/lib") && ContainsSubstring("submodule"));
    CHECK_FALSE(done.error().remedy.empty());
    CHECK(repository.read(head(repository), "third/lib").value()->kind == Entry::Kind::submodule);
}

TEST_CASE("a tree object with a forbidden name is not exported") {
    const ScratchRepository scratch;
    const auto blob = ScratchRepository::first_line(scratch.git({"hash-object", "-w", "--stdin"}, "x\n"));
    const auto name = GENERATE(as<std::string>(), ".git", "..", ".GIT", "a/b", ".");
    CAPTURE(name);
    std::string raw = "100644 " + name + '\0';
    for (std::size_t i = 0; i < blob.size(); i += 2)
        raw += static_cast<char>(std::stoi(blob.substr(i, 2), nullptr, 16));
    const auto tree =
        ScratchRepository::first_line(scratch.git({"hash-object", "-w", "-t", "tree", "--literally", "--stdin"}, raw));
    const auto commit = ScratchRepository::first_line(scratch.git({"commit-tree", "-m", "Hostile", tree}));
    scratch.git({"update-ref", "refs/heads/main", commit});
    const ScratchFolder folder;
    const auto repository = open(scratch.path());
    CHECK_FALSE(repository.export_tree(head(repository), folder.path() / "tree"));
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("uncommitted changes are the tracked ones, in the index or not, and the index is not rewritten") {
    const ScratchRepository scratch;
    for (const char* name : {"edited", "staged", "gone", "same"})
        scratch.write(name, "1\n");
    scratch.commit("First");
    const auto repository = open(scratch.path());
    CHECK(repository.uncommitted().value().empty());
    scratch.write("edited", "22\n");
    scratch.write("staged", "22\n");
    scratch.write("new", "staged too\n");
    scratch.git({"add", "staged", "new"});
    scratch.write("untracked", "no\n");
    scratch.remove("gone");
    const auto before = listing(scratch.path() / ".git");
    CHECK(repository.uncommitted().value() == std::vector<std::string>{"edited", "gone", "new", "staged"});
    CHECK(repository.uncommitted(2).value().size() == 2);
    CHECK(listing(scratch.path() / ".git") == before);
}

TEST_CASE("without an identity the commands that set it are named") {
    const ScratchRepository scratch;
    const auto repository = open(scratch.path());
    const auto error = repository.identity().error();
    CHECK_THAT(error.message(), ContainsSubstring("user.name") && ContainsSubstring("git config"));
    scratch.git({"config", "user.name", " Ada <L>  "});
    CHECK_THAT(repository.identity().error().message(), ContainsSubstring("user.email"));
    scratch.git({"config", "user.email", "ada@example.org"});
    REQUIRE(repository.identity());
    CHECK(repository.identity()->name == "Ada L");
    CHECK(repository.identity()->email == "ada@example.org");
}

TEST_CASE("a person is who git says: its variables come before its files") {
    const ScratchRepository scratch, other;
    const auto repository = open(scratch.path());
    scratch.git({"config", "user.name", "Ada"});
    scratch.git({"config", "user.email", "ada@example.org"});
    const auto who = [&] {
        const auto identity = repository.identity();
        return identity ? identity->name + " <" + identity->email + ">" : identity.error().message();
    };
    {
        const Variable count("GIT_CONFIG_COUNT", "2"), key("GIT_CONFIG_KEY_0", "User.Name"),
            value("GIT_CONFIG_VALUE_0", "Grace");
        CHECK_THAT(who(), ContainsSubstring("there is no GIT_CONFIG_KEY_1"));
        const Variable second("GIT_CONFIG_KEY_1", "committer.email"), mail("GIT_CONFIG_VALUE_1", "grace@example.org");
        CHECK(who() == "Grace <grace@example.org>");
        const Variable name("GIT_COMMITTER_NAME", "Hopper");
        CHECK(who() == "Hopper <grace@example.org>");
    }
    {
        const Variable count("GIT_CONFIG_COUNT", "two");
        CHECK_THAT(who(), ContainsSubstring("GIT_CONFIG_COUNT is 'two'"));
    }
    CHECK(who() == "Ada <ada@example.org>");
    scratch.git({"config", "--unset", "user.email"});
    other.write("settings", "[user]\n\temail = lovelace@example.org\n");
    const Variable global("GIT_CONFIG_GLOBAL", (other.path() / "settings").string());
    CHECK(who() == "Ada <lovelace@example.org>");
    scratch.git({"config", "user.email", "ada@example.org"});
    for (const char* none : {"", "/dev/null", "/nowhere/settings"}) {
        const Variable without("GIT_CONFIG_GLOBAL", none);
        CHECK(who() == "Ada <ada@example.org>");
    }
}

TEST_CASE("the tree with changes has the id that git gives it, and nothing is written") {
    const ScratchRepository scratch;
    scratch.write("a.c", "a\n");
    scratch.write("a/b/c.c", "c\n");
    scratch.write("a/b/only/one.c", "1\n");
    scratch.write("run.sh", "#!/bin/sh\n");
    scratch.write("a-b", "sorts between a and a/ only as a file\n");
    std::filesystem::permissions(scratch.path() / "run.sh", std::filesystem::perms::owner_all);
    scratch.commit("First");
    const auto repository = open(scratch.path());
    const auto commit = head(repository);
    const auto before = listing(scratch.path() / ".git");

    CHECK(repository.tree_with(commit, {}).value() == commit.tree);
    const auto id = repository.tree_with(commit, {{"a.c", "changed\n"},
                                                  {"run.sh", "#!/bin/sh\nexit 1\n"},
                                                  {"a/b/only/one.c", std::nullopt},
                                                  {"new/deep/file", "n\n"},
                                                  {"a/b/d.c", ""}});
    const auto empty = repository.tree_with(commit, {{"a.c", std::nullopt},
                                                     {"a/b/c.c", std::nullopt},
                                                     {"a/b/only/one.c", std::nullopt},
                                                     {"run.sh", std::nullopt},
                                                     {"a-b", std::nullopt}});
    CHECK(listing(scratch.path() / ".git") == before);
    CHECK(empty.value() == "4b825dc642cb6eb9a060e54bf8d69288fbee4904");

    scratch.write("a.c", "changed\n");
    scratch.write("run.sh", "#!/bin/sh\nexit 1\n");
    scratch.remove("a/b/only/one.c");
    scratch.write("new/deep/file", "n\n");
    scratch.write("a/b/d.c", "");
    scratch.git({"add", "-A"});
    CHECK(id.value() == ScratchRepository::first_line(scratch.git({"write-tree"})));
}

TEST_CASE("changes that no tree can take are errors") {
    const ScratchRepository scratch;
    scratch.write("a/b", "b\n");
    scratch.write("f", "f\n");
    symlink(scratch, "f", "link");
    scratch.commit("First");
    const auto repository = open(scratch.path());
    const auto commit = head(repository);
    for (const char* path : {"a", "link", "f/x", "link/x", "../x", ".git/config", "/x", "a//b", ""})
        CHECK_FALSE(repository.tree_with(commit, {{path, "x"}}));
    CHECK_FALSE(repository.tree_with(commit, {{"missing", std::nullopt}}));
    CHECK_FALSE(repository.tree_with(commit, {{"f", "1"}, {"f", "2"}}));
}

TEST_CASE("an exclude line is added once and keeps what is there") {
    const ScratchRepository scratch;
    const auto file = scratch.path() / ".git/info/exclude";
    const auto repository = open(scratch.path());
    scratch.write(".git/info/exclude", "# mine\n*.o");
    REQUIRE(repository.exclude(".holdfast/"));
    REQUIRE(repository.exclude(".holdfast/"));
    CHECK(test::read_text(file) == "# mine\n*.o\n.holdfast/\n");
    std::filesystem::remove_all(file.parent_path());
    REQUIRE(repository.exclude(".holdfast/"));
    CHECK(test::read_text(file) == ".holdfast/\n");
    CHECK_FALSE(repository.exclude("two\nlines"));
    CHECK_FALSE(repository.exclude(""));
}

TEST_CASE("globs: a star stops at a slash, two cross it") {
    struct Row {
        const char *glob, *path;
        bool matches;
    };
    const std::vector<Row> rows{
        {"src/**", "src/a.c", true},
        {"src/**", "src/a/b.c", true},
        {"src/**", "src", false},
        {"src/**", "xsrc/a", false},
        {"src/*", "src/a.c", true},
        {"src/*", "src/a/b.c", false},
        {"*.c", "a.c", true},
        {"*.c", "d/a.c", false},
        {"**/*.c", "a.c", true},
        {"**/*.c", "d/e/a.c", true},
        {"**/*.c", "d/a.h", false},
        {"a/**/z", "a/z", true},
        {"a/**/z", "a/b/c/z", true},
        {"a/**/z", "a/bz", false},
        {"a/**/z", "az", false},
        {"**", "any/thing", true},
        {"a?c", "abc", true},
        {"a?c", "a/c", false},
        {"a?c",
         "a\xC3\xA9"
         "c",
         true},
        {"a??c",
         "a\xC3\xA9"
         "c",
         false},
        {"", "", true},
        {"", "a", false},
        {"a", "a", true},
        {"a", "A", false},
        {"a**b", "a/x/b", true},
        {"[ab]", "a", false},
        {"[ab]", "[ab]", true},
        {"***", "a/b", true},
        {"*", "", true},
        {"src/**.c", "src/x/y.c", true},
    };
    for (const auto& row : rows) {
        CAPTURE(row.glob, row.path);
        CHECK(git::matches(row.glob, row.path) == row.matches);
    }
    std::string stars;
    for (int i = 0; i < 200; ++i)
        stars += "*a";
    CHECK_FALSE(git::matches(stars, std::string(4000, 'a') + 'b'));
}
