// SPDX-License-Identifier: GPL-3.0-or-later
// Progress on standard error: one line that is redrawn on a terminal, now and then a line elsewhere.
#pragma once

#include "core/study/watch.hpp"

#include <chrono>
#include <string>

namespace holdfast::cli {

class ProgressLine {
public:
    ProgressLine();
    void show(const study::Progress& progress);
    void say(const std::string& line); ///< a line that stays
    void finish();                     ///< clears what is being redrawn

private:
    bool terminal_;
    std::string last_phase_;
    std::int64_t last_trial_ = -1;
    std::chrono::steady_clock::time_point last_{};
};

} // namespace holdfast::cli
