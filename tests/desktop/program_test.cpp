// SPDX-License-Identifier: GPL-3.0-or-later
// The program itself: command line, pictures.
#include "tests/catch.h"
#include "tests/command.hpp"
#include "tests/scratch.hpp"

#include <QImage>

using holdfast::test::Ran;
using holdfast::test::run_command;
using holdfast::test::ScratchFolder;
using holdfast::test::ScratchRepository;

namespace {

Ran desktop(std::vector<std::string> words, const std::vector<std::string>& environment = {}) {
    words.insert(words.begin(), HOLDFAST_BIN_DIR "/holdfast-desktop");
    const ScratchFolder folder;
    return run_command(words, folder.path(), environment);
}

const std::string small_project = R"({ "name": "small", "build": [], "objective": "wall",
  "workloads": [ { "name": "w", "run": ["true"], "check": { "stdout": "same" } } ],
  "knobs": [ { "name": "k", "type": "boolean", "default": true, "through": { "argument": "{value}" } } ] })";

QImage read_picture(const std::filesystem::path& file) {
    return QImage(QString::fromStdString(file.string()));
}

} // namespace

TEST_CASE("help and version need no display") {
    const std::vector<std::string> none{"DISPLAY=", "WAYLAND_DISPLAY=", "QT_QPA_PLATFORM="};
    const Ran help = desktop({"--help"}, none);
    CHECK(help.code == 0);
    CHECK(help.out.find("Examples:") != std::string::npos);
    CHECK(help.out.find("--screenshot") != std::string::npos);
    const Ran version = desktop({"--version"}, none);
    CHECK(version.code == 0);
    CHECK(version.out.rfind("holdfast-desktop ", 0) == 0);
}

TEST_CASE("without a display the program says what can be done instead") {
    const Ran ran = desktop({}, {"DISPLAY=", "WAYLAND_DISPLAY=", "QT_QPA_PLATFORM="});
    CHECK(ran.code == 1);
    CHECK(ran.err.find("--screenshot") != std::string::npos);
    CHECK(ran.err.find("QT_QPA_PLATFORM=offscreen") != std::string::npos);
    const Ran unusable = desktop({}, {"DISPLAY=:98765", "WAYLAND_DISPLAY=", "QT_QPA_PLATFORM=xcb"});
    CHECK(unusable.code == 1);
    CHECK(unusable.err.find("--screenshot") != std::string::npos);
}

TEST_CASE("a wrong command line ends with 2 and says what is wrong") {
    const auto wrong = [](const std::vector<std::string>& words, const std::string& word) {
        const Ran ran = desktop(words);
        INFO(ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.err.find(word) != std::string::npos);
    };
    wrong({"--screenshot", "x.png", "--screen", "nowhere"}, "nowhere");
    wrong({"--screenshot", "x.png", "--size", "10x10"}, "10x10");
    wrong({"--screenshot", "x.png", "--size", "wide"}, "wide");
    wrong({"--theme", "pink"}, "pink");
    wrong({"--trial", "none"}, "none");
    wrong({"--compare", "3"}, "Write two to six numbers");
    wrong({"one", "two"}, "more than one");
    wrong({"--unknown"}, "unknown");
}

TEST_CASE("a picture of a project that cannot be opened is an error") {
    const ScratchFolder folder;
    const Ran ran = desktop({(folder.path() / "gone").string(), "--screenshot", (folder.path() / "x.png").string()});
    CHECK(ran.code == 1);
    CHECK(ran.err.find("gone") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "x.png"));
}

TEST_CASE("a picture leaves the person's settings alone") {
    const ScratchRepository repository;
    repository.write("holdfast.json", small_project);
    repository.commit("project");
    const ScratchFolder home;
    const auto file = home.path() / "page.png";
    const Ran ran = desktop({repository.path().string(), "--screenshot", file.string(), "--screen", "trials"},
                            {"QT_QPA_PLATFORM=offscreen", "HOME=" + home.path().string(),
                             "XDG_CONFIG_HOME=" + (home.path() / "config").string()});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(std::filesystem::exists(file));
    CHECK_FALSE(std::filesystem::exists(home.path() / "config"));
    CHECK_FALSE(std::filesystem::exists(home.path() / ".config"));
}

TEST_CASE("every page is drawn in light and dark, at every scale") {
    const ScratchRepository repository;
    repository.write("holdfast.json", small_project);
    repository.commit("project");
    const ScratchFolder folder;
    const auto file = folder.path() / "page.png";
    const auto picture = [&](const std::string& screen, const std::string& theme, const std::string& scale) {
        std::filesystem::remove(file);
        const Ran ran = desktop(
            {repository.path().string(), "--screenshot", file.string(), "--screen", screen, "--theme", theme, "--size",
             "1024x700"},
            {"QT_SCALE_FACTOR=" + scale, "QT_QPA_PLATFORM=offscreen", "XDG_RUNTIME_DIR=" + folder.path().string()});
        INFO(screen << " " << theme << " " << scale << "\n" << ran.err);
        REQUIRE(ran.code == 0);
        return read_picture(file);
    };
    const std::string names[] = {"start",    "study",   "trials",  "queue", "review",   "apply",
                                 "approved", "compare", "history", "front", "calibrate"};
    for (const std::string& screen : names) {
        const QImage light = picture(screen, "light", "1"), dark = picture(screen, "dark", "1");
        CHECK(light.size() == QSize(1024, 700));
        CHECK(dark.size() == QSize(1024, 700));
        CHECK(light.pixelColor(2, 698).lightness() > 128);
        CHECK(dark.pixelColor(2, 698).lightness() < 128);
    }
    CHECK(picture("study", "light", "1.5").size() == QSize(1536, 1050));
    CHECK(picture("study", "dark", "2").size() == QSize(2048, 1400));
}
