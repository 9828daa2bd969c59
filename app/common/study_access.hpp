// SPDX-License-Identifier: GPL-3.0-or-later
// Everything a study needs before it may measure: sandbox, history as its only writer, the machine to itself.
#pragma once

#include "app/common/places.hpp"
#include "sandbox/machine_lock.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace holdfast::app {

struct StudyAccess {
    std::unique_ptr<study::Runner> runner;
    std::unique_ptr<study::Store> store;
    sandbox::MachineLock lock;

    /// Waits for another study of this machine to end, until `stop`; `say` is told whom it waits for. Marks what an
    /// earlier process left running as interrupted.
    static Result<StudyAccess> open(const Project& project, const git::Repository& repository,
                                    const std::function<void(const std::string&)>& say, std::stop_token stop);
};

} // namespace holdfast::app
