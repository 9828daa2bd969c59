// SPDX-License-Identifier: GPL-3.0-or-later
// A folder that a sandbox may write; gone with the object.
#pragma once

#include "core/study/workspace.hpp"

#include <filesystem>

namespace holdfast::study::probes {

class ScratchFolder {
public:
    static Result<ScratchFolder> make(const Workspace& workspace);
    ~ScratchFolder();
    ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    ScratchFolder& operator=(ScratchFolder&&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

} // namespace holdfast::study::probes
