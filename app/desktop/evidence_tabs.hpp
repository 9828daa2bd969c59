// SPDX-License-Identifier: GPL-3.0-or-later
// The smaller tables of the review: knobs, provenance, gates with their logs, and what was not tested.
#pragma once

#include "core/review/sheet.hpp"

#include <QTreeWidget>
#include <QWidget>

#include <string>
#include <utility>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace holdfast::desktop {

/// Names and values as plain text; a value too long for its column is whole in its tip and can be copied.
class PairTable : public QTreeWidget {
    Q_OBJECT
public:
    PairTable(const QString& name, const QString& first, const QString& second, QWidget* parent);
    void show_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

class ProvenanceTab : public QWidget {
    Q_OBJECT
public:
    explicit ProvenanceTab(QWidget* parent = nullptr);
    void show_sheet(const review::Sheet& sheet);

public slots:
    void copy_command();

private:
    PairTable* table_;
    QLabel* command_;
    QPushButton* copy_;
    std::string reproduce_;
};

class GatesTab : public QWidget {
    Q_OBJECT
public:
    explicit GatesTab(QWidget* parent = nullptr);
    /// What the candidate went through. No gate of an approval is shown until show_approval().
    void show_gates(std::vector<study::GateRecord> gates, std::int64_t trial);
    /// What an approval needs, below; the row in front stays.
    void show_approval(const std::vector<review::Gate>& gates);

private:
    struct Row {
        study::GateRecord gate; ///< of an approval's gate: name, result and reason alone
        bool of_approval = false;
    };
    void set_row(std::size_t at, Row row);
    void show_log(int row);

    std::vector<Row> rows_;
    std::int64_t trial_ = 0;
    QTreeWidget* list_;
    QLabel* reason_;
    QPlainTextEdit* log_;
    QLabel* cut_;
    QPushButton* save_;
};

/// The end of `log` that is shown: at most 2,000 lines and one million bytes, begun at a line's start if there is one.
std::string_view log_end(std::string_view log);

/// What was not tested, and what finding this out took.
class LimitsPanel : public QWidget {
    Q_OBJECT
public:
    explicit LimitsPanel(QWidget* parent = nullptr);
    void show_sheet(const review::Sheet& sheet);

private:
    QWidget* content_ = nullptr;
};

} // namespace holdfast::desktop
