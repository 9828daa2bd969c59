// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.hpp"

#include "core/project/quantity.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace holdfast::cli {

namespace {

constexpr auto redraw_every = std::chrono::milliseconds(100);
constexpr auto line_every = std::chrono::seconds(15);

std::string text_of(const study::Progress& progress) {
    std::string text =
        progress.trial > 0 ? fmt::format("trial {}: {}", progress.trial, progress.phase) : progress.phase;
    if (progress.total > 0) {
        text +=
            fmt::format(" {} of {}{}", progress.done, progress.phase == "confirm" ? "at most " : "", progress.total);
        if (progress.each.count() > 0)
            text += ", " +
                    duration_text(progress.each *
                                  static_cast<long>(progress.total - std::min(progress.done, progress.total))) +
                    (progress.phase == "confirm" ? " left at most" : " left");
    }
    return text;
}

} // namespace

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const study::Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    const bool fresh = progress.phase != last_phase_ || (progress.trial != last_trial_ && progress.phase != "build");
    if (terminal_) {
        if (!fresh && now - last_ < redraw_every)
            return;
        std::fputs(("\r\x1b[K" + text_of(progress)).c_str(), stderr);
    } else {
        // The search's builds would flood a log: they show as the search's own progress.
        if (!fresh && now - last_ < line_every)
            return;
        if (progress.phase == "build" && now - last_ < line_every && last_trial_ >= 0)
            return;
        std::fputs((text_of(progress) + "\n").c_str(), stderr);
    }
    std::fflush(stderr);
    last_ = now;
    last_phase_ = progress.phase;
    last_trial_ = progress.trial;
}

void ProgressLine::say(const std::string& line) {
    std::fputs(((terminal_ ? "\r\x1b[K" : "") + line + "\n").c_str(), stderr);
    last_phase_.clear();
}

void ProgressLine::finish() {
    if (terminal_)
        std::fputs("\r\x1b[K", stderr);
}

} // namespace holdfast::cli
