// SPDX-License-Identifier: GPL-3.0-or-later
// A project in a real repository with one decided trial in a real history: nothing is measured, so a test has it at
// once. The evidence is sealed by the same code that seals a study's.
#pragma once

#include "core/git/repository.hpp"
#include "core/review/dossier.hpp"
#include "core/review/rules.hpp"
#include "core/study/store.hpp"
#include "tests/scratch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

struct DecidedOptions {
    std::string folder;      ///< of the project in the repository, "" or "sub/"
    std::string review = ""; ///< the project file's "review", such as R"({"signatures": "required", ...})"
    int size = 8;            ///< the knob's value; its default is 32
    std::string knobs;       ///< JSON array in place of size and fast; then `configuration` gives their values
    std::string configuration;
    std::vector<std::pair<std::string, std::string>> files; ///< more of the first commit: path, text
    std::string build = "[]";
    bool patch = true; ///< work.sh changed too
    std::string verdict = "generalises";
    std::vector<std::string> flags;
    bool proposal = true;
    bool held_out = true;        ///< confirmed on held-out workloads
    double memory_factor = 1;    ///< the candidate's peak memory over the baseline's
    std::string allowed_signers; ///< written to the repository's file "signers" unless empty
};

class DecidedTrial {
public:
    explicit DecidedTrial(const DecidedOptions& options = {});

    const ScratchRepository& repository() const { return repository_; }
    std::filesystem::path folder() const; ///< of the project
    const git::Repository& git() const { return *git_; }
    study::Store& store() { return *store_; }
    const study::TrialRecord& trial() const { return trial_; }

    review::Dossier dossier() const;
    /// As an SQL user would.
    void sql(const std::string& statements) const;

    static git::Identity reviewer() { return {"Ada Reviewer", "ada@example.org"}; }
    /// What a person at a terminal says who has read everything that `dossier` flags.
    static review::Approval approval(const review::Dossier& dossier);

private:
    void write_project(const DecidedOptions& options);
    void add_records(const DecidedOptions& options);
    void add_samples(const DecidedOptions& options);

    ScratchRepository repository_;
    std::string prefix_;
    std::unique_ptr<git::Repository> git_;
    std::unique_ptr<study::Store> store_;
    study::StudyRecord study_;
    study::TrialRecord trial_;
};

} // namespace holdfast::test
