// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a trial as sections of plain text, before any markup: Markdown and HTML say the same.
#pragma once

#include "core/review/sheet.hpp"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::review {

struct ReportTable {
    std::string caption; ///< for those who hear it
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows; ///< as long as `head`
};

struct ReportSection {
    std::string title, note;
    std::vector<std::string> lines;
    std::vector<std::pair<std::string, std::string>> facts;
    ReportTable table;
    std::string code, language; ///< preformatted; "" for none
    bool empty() const;         ///< nothing but a title and a note
};

struct Report {
    std::int64_t number = 0;
    std::string title, subtitle, verdict;
    std::string danger;                  ///< danger_words() of the flags; "" without any
    std::vector<std::string> doubts;     ///< why what follows may not be believed; empty: nothing speaks against it
    std::vector<std::string> summary;    ///< sentences
    std::vector<ReportSection> sections; ///< none of them is empty
};

/// "Not tested" is part of every report: one that has nothing to say there is refused as incomplete.
Result<Report> trial_report(const Dossier& dossier, const Sheet& sheet);

// The parts that are about the whole study (report_study.cpp).

/// The rule that decided, in words.
std::vector<std::string> rule_words(const Dossier& dossier);
/// What of the study's allowance for errors is spent.
std::vector<std::pair<std::string, std::string>> error_budget(const Dossier& dossier);
/// The machine, its isolation, and what went on beside the trial's runs.
std::vector<std::pair<std::string, std::string>> environment_of(const Dossier& dossier);

} // namespace holdfast::review
