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
    auto* dialog = new QFileDialog(parent, title);
    dialog->setObjectName("save-file");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(suggested);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, [parent, title, text](const QString& path) {
        const auto saved = write_file(path, text);
        if (saved)
            return;
        auto* box =
            new QMessageBox(QMessageBox::Warning, title, shown(saved.error().message()), QMessageBox::Ok, parent);
        box->setTextFormat(Qt::PlainText);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    });
    dialog->open();
}

} // namespace holdfast::desktop
