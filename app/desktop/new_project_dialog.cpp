// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/new_project_dialog.hpp"

#include "app/desktop/screen.hpp"
#include "app/desktop/theme.hpp"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QJsonValue>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

namespace holdfast::desktop {

QByteArray project_template(const QString& name) {
    QByteArray quoted = QJsonDocument::fromVariant(QVariantList{name}).toJson(QJsonDocument::Compact);
    quoted = quoted.mid(1, quoted.size() - 2); // the array's brackets
    return R"({
  "name": )" +
           quoted + R"(,
  // Commands that build the program, each a list of words: {source} is your code, {build} is written.
  // [["cmake", "-S", "{source}", "-B", "{build}"], ["cmake", "--build", "{build}"]]
  "build": [],
  "objective": "wall",
  // Ways to run the program. Replace this one with yours; "check" names what must stay the same.
  "workloads": [
    { "name": "example", "run": ["sh", "-c", "seq 50000 | sort -R | sort -n -S ${1}K | tail -n 1", "sh", "{knobs}"],
      "check": { "stdout": "same" } }
  ],
  // Parameters that a study may turn.
  "knobs": [
    { "name": "sort_memory", "type": "integer", "min": 64, "max": 65536, "scale": "log", "default": 1024,
      "through": { "argument": "{value}" } }
  ],
  // Files that a proposed patch may touch.
  "code": { "editable": ["src/**"] }
}
)";
}

NewProjectDialog::NewProjectDialog(const QString& guide, QWidget* parent) : QDialog(parent) {
    setObjectName("new-project");
    setWindowTitle(tr("New project"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(760, 560);
    auto* column = new QVBoxLayout(this);
    column->addWidget(plain_label(
        tr("A project is a git repository with a file holdfast.json beside the program: how it is built, how it is "
           "run, and what may be changed. Choose the folder; what is found there is proposed below, else an example "
           "workload that you replace with yours. It is written only when you press Write. Commit it to git before the "
           "first study."),
        this));
    if (!guide.isEmpty()) {
        auto* link = named(new QLabel(this), tr("Guide"), tr("Opens the guide to the project file."));
        link->setText(QString("<a href=\"%1\">%2</a>")
                          .arg(QUrl::fromLocalFile(guide).toString(QUrl::FullyEncoded).toHtmlEscaped(),
                               tr("The guide explains every key.")));
        link->setTextInteractionFlags(Qt::TextBrowserInteraction);
        link->setOpenExternalLinks(true);
        column->addWidget(link);
    }
    auto* row = new QHBoxLayout;
    folder_ = named(new QLineEdit(this), tr("Folder"), tr("The folder that becomes a project."));
    folder_->setObjectName("new-project-folder");
    folder_->setPlaceholderText(tr("Folder in a git repository"));
    auto* choose = named(new QPushButton(tr("Choose…"), this), tr("Choose the folder"));
    choose->setAutoDefault(false);
    row->addWidget(folder_, 1);
    row->addWidget(choose);
    column->addLayout(row);
    text_ = named(new QPlainTextEdit(this), tr("Project file"), tr("What will be written; it can be edited here."));
    text_->setObjectName("new-project-text");
    text_->setFont(fixed_font());
    text_->setTabChangesFocus(true);
    column->addWidget(text_, 1);
    note_ = plain_label({}, this);
    column->addWidget(note_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    write_ = buttons->addButton(tr("Write holdfast.json and open"), QDialogButtonBox::AcceptRole);
    write_->setObjectName("new-project-write");
    column->addWidget(buttons);
    connect(choose, &QPushButton::clicked, this, &NewProjectDialog::choose_folder);
    connect(folder_, &QLineEdit::textChanged, this, &NewProjectDialog::show_folder);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit confirmed(QDir(folder_->text()).absolutePath(), text_->toPlainText().toUtf8());
        accept();
    });
    show_folder({});
}

void NewProjectDialog::choose_folder() {
    auto* dialog = new QFileDialog(this, tr("Folder of the new project"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, folder_, &QLineEdit::setText);
    dialog->open();
}

void NewProjectDialog::show_folder(const QString& folder) {
    if (!text_->document()->isModified())
        text_->setPlainText(project_template(folder.isEmpty() ? "mytool" : QDir(folder).dirName()));
    const bool is_folder = !folder.isEmpty() && QFileInfo(folder).isDir();
    write_->setEnabled(is_folder);
    note_->setText(folder.isEmpty() ? tr("Choose the folder first.")
                   : is_folder      ? QString()
                                    : tr("There is no such folder."));
    if (is_folder)
        emit folder_chosen(folder);
}

void NewProjectDialog::offer(const QString& folder, const QByteArray& text, const QString& note) {
    if (folder != folder_->text() || text_->document()->isModified() || text.isEmpty())
        return;
    text_->setPlainText(QString::fromUtf8(text));
    note_->setText(note);
}

} // namespace holdfast::desktop
