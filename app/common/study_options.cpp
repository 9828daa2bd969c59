// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/study_options.hpp"

#include "tuners/tuners.hpp"

#include <random>

namespace holdfast::app {

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) ^ device();
}

study::Options default_options(const Project& project) {
    study::Options options;
    options.tuners = project.search.tuners;
    options.trials = project.search.trials;
    options.leaders = project.search.leaders;
    options.seed = random_seed();
    for (const std::string& name : project.search.fixed)
        options.fixed[name] = project.knob(name)->default_value;
    return options;
}

Result<void> check_options(study::Options& options) {
    if (options.trials < 0 || options.leaders < 1)
        return invalid("run a study", "--trials must be at least 0 and --leaders at least 1", "Correct the option");
    std::erase(options.tuners, "patch");
    if (options.tuners.empty())
        options.trials = 0;
    for (const std::string& name : options.tuners)
        if (auto made = tuners::make(name, {{}, [](const Configuration&) { return true; }}, 0); !made)
            return tl::unexpected(made.error());
    return {};
}

} // namespace holdfast::app
