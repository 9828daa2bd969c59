// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a folder a project: shows a project file for the program that is there, else a small one that works, and writes
// it only when the person says so.
#pragma once

#include <QByteArray>
#include <QDialog>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace holdfast::desktop {

/// A project file that can be measured as it is; `name` is shown for the project.
QByteArray project_template(const QString& name);

class NewProjectDialog : public QDialog {
    Q_OBJECT
public:
    /// `guide`: the file of the user's guide; "" when it is not installed.
    NewProjectDialog(const QString& guide, QWidget* parent);

    /// What was found in `folder`, shown unless another folder was chosen or the text edited since.
    void offer(const QString& folder, const QByteArray& text, const QString& note);

signals:
    void folder_chosen(const QString& folder); ///< answered with offer()
    void confirmed(const QString& folder, const QByteArray& text);

private:
    void choose_folder();
    void show_folder(const QString& folder);

    QLineEdit* folder_;
    QPlainTextEdit* text_;
    QLabel* note_;
    QPushButton* write_;
};

} // namespace holdfast::desktop
