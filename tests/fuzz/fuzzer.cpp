// SPDX-License-Identifier: GPL-3.0-or-later
// The targets for libFuzzer. HOLDFAST_FUZZ_TARGET names the one; without it, what there is is listed.
#include "tests/fuzz/targets.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {
const holdfast::fuzz::Target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* name = std::getenv("HOLDFAST_FUZZ_TARGET");
    chosen = name == nullptr ? nullptr : holdfast::fuzz::target(name);
    if (chosen != nullptr)
        return 0;
    for (const auto& each : holdfast::fuzz::targets())
        std::puts(each.name);
    std::exit(name == nullptr ? 0 : 2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->run({reinterpret_cast<const char*>(data), size});
    return 0;
}
