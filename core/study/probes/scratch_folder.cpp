// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/probes/scratch_folder.hpp"

#include "core/study/files.hpp"

namespace holdfast::study::probes {

Result<ScratchFolder> ScratchFolder::make(const Workspace& workspace) {
    auto made = workspace.scratch();
    if (!made)
        return tl::unexpected(made.error());
    return ScratchFolder(std::move(*made));
}

ScratchFolder::~ScratchFolder() {
    // What cannot be removed is removed when the workspace is opened again.
    if (!path_.empty())
        (void)remove_tree(path_);
}

} // namespace holdfast::study::probes
