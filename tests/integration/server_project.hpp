// SPDX-License-Identifier: GPL-3.0-or-later
// A scratch repository whose program is a real server from the distribution, with the knobs and workloads that its
// catalogue gives.
#pragma once

#include "app/common/catalogue.hpp"
#include "tests/integration/written_project.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::test {

/// Asks the real server; throws when it cannot be asked.
app::Catalogue ask_catalogue(app::ServerKind kind);

/// The workload of that name; throws when there is none.
Workload& workload_of(std::vector<Workload>& workloads, const std::string& name);

class ServerProject : public WrittenProject {
public:
    /// `knobs`: settings that become knobs. All workloads of the catalogue are written, the held-out ones too.
    ServerProject(const app::Catalogue& catalogue, const std::vector<std::string>& knobs);

    /// Queues `candidate` ("fsync=false", ...), runs a study of it alone and gives the trial as `show --json` does.
    nlohmann::json decided(const std::vector<std::string>& candidate) const;
};

} // namespace holdfast::test
