// SPDX-License-Identifier: GPL-3.0-or-later
// A small table of texts beside a plot: what the plot shows, for keyboard, screen reader and clipboard.
#pragma once

#include <QTableWidget>

#include <vector>

namespace holdfast::desktop {

class ValuesTable : public QTableWidget {
    Q_OBJECT
public:
    /// `name`: for a screen reader. The last column takes the room that is left.
    ValuesTable(const QString& name, QWidget* parent);

    /// Every text is plain and safe to show. `keys`: a number for each row that can be opened, 0 for one that cannot;
    /// empty: none can. The current row stays where it was.
    void show_rows(const QStringList& head, const std::vector<QStringList>& rows, const std::vector<qint64>& keys = {});

signals:
    void opened(qint64 key); ///< Return or a double click on a row that can be opened

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void open_row(int row);
    void copy() const;

    std::vector<qint64> keys_;
};

} // namespace holdfast::desktop
