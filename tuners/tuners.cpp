// SPDX-License-Identifier: GPL-3.0-or-later
#include "tuners/tuners.hpp"

#include "core/project/text.hpp"
#include "tuners/local.hpp"
#include "tuners/random.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::tuners {

std::vector<std::string> names() {
    return {"local", "random"};
}

Result<std::unique_ptr<study::Tuner>> make(const std::string& name, study::SearchSpace space, std::uint64_t seed) {
    if (name == "local")
        return make_local(std::move(space), seed);
    if (name == "random")
        return make_random(std::move(space), seed);
    const std::string near = nearest(name, names());
    return invalid(fmt::format("use the tuner \"{}\"", printable(name)), "there is no tuner of that name",
                   near.empty() ? fmt::format("Use one of {}.", fmt::join(names(), ", "))
                                : fmt::format("Did you mean \"{}\"? There are {}.", near, fmt::join(names(), ", ")));
}

} // namespace holdfast::tuners
