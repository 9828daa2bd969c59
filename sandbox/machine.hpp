// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel tells about the whole machine.
#pragma once

#include "core/study/runner.hpp"

#include <filesystem>
#include <string>

namespace holdfast::sandbox {

/// Reads below `root` (tests give a folder with files of their own). What cannot be read stays 0.
study::MachineReading read_machine(const std::filesystem::path& root = "/");

/// A JSON object: cpu, cores, memory_bytes, kernel, architecture, governor, turbo, virtualised, clocksource, aslr, smt,
/// allowed_cores, cpu_quota (cores), memory_limit (bytes), kernel_build, microcode, mitigations (a digest),
/// energy_preference, platform_profile, on_battery, huge_pages, host (the first half of SHA-256 over the host's name,
/// which itself is nobody's business), fingerprint (study::make_fingerprint). Unknown values are null.
std::string describe_machine(const std::filesystem::path& root = "/");

} // namespace holdfast::sandbox
