// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/save_file.hpp"

#include "app/desktop/screen.hpp"

#include <QFileDialog>
#include <QMessageBox>
#include <QSaveFile>

namespace holdfast::desktop {

Result<void> write_file(const QString& path, const std::string& text) {
    QSaveFile file(path);
    const auto size = static_cast<qint64>(text.size());
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), size) != size || !file.commit())
        return failed("save " + path.toStdString(), file.errorString().toStdString(), "Choose another folder.");
    return {};
}

void save_as(QWidget* parent, const QString& title, const QString& suggested, const std::string& text) {
    const QString path = QFileDialog::getSaveFileName(parent, title, suggested);
    if (path.isEmpty())
        return;
    if (const auto saved = write_file(path, text); !saved) {
        QMessageBox box(QMessageBox::Warning, title, shown(saved.error().message()), QMessageBox::Ok, parent);
        box.setTextFormat(Qt::PlainText);
        box.exec();
    }
}

} // namespace holdfast::desktop
