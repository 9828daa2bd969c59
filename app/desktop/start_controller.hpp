// SPDX-License-Identifier: GPL-3.0-or-later
// What can be known and done before a project is open: this machine, the projects opened lately, the examples, a new
// project file.
#pragma once

#include "app/common/demo.hpp"
#include "app/common/doctor.hpp"
#include "app/desktop/jobs.hpp"
#include "core/project/error.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <filesystem>
#include <vector>

namespace holdfast::desktop {

/// A project that was open once.
struct RecentProject {
    QString folder;
    QString fault; ///< why it cannot be opened, in words; "" when its project file is there
};

class StartController : public QObject {
    Q_OBJECT
public:
    /// `resources`: app::resources_folder().
    explicit StartController(std::filesystem::path resources, QObject* parent = nullptr);

    bool idle() const { return files_.idle() && machine_.idle(); }

    void examine(const QString& folder);      ///< takes some seconds; answers with examined
    void look_at(const QStringList& folders); ///< answers with recent_known, in the same order
    void list_demos();                        ///< answers with demos_known
    /// The example in `folder`, with its candidates queued; answers with demo_made.
    void make_demo(const QString& name, const QString& folder);
    /// Looks for a program in the folder; answers with project_proposed.
    void propose_project(const QString& folder);
    /// `text` as FOLDER/holdfast.json, which must not be there, with the held-out workloads of what was proposed;
    /// answers with project_made.
    void make_project(const QString& folder, const QByteArray& text);

signals:
    void examined(const holdfast::app::Examination& examination);
    void recent_known(const std::vector<holdfast::desktop::RecentProject>& projects);
    void demos_known(const std::vector<holdfast::app::DemoInfo>& demos);
    void demo_made(const QString& folder);
    /// `text`: a project file, "" when no program was found; `note`: what is held out, in words.
    void project_proposed(const QString& folder, const QByteArray& text, const QString& note);
    void project_made(const QString& folder);
    void failed(const holdfast::Error& error);
    void became_idle();

private:
    std::filesystem::path resources_;
    Jobs files_, machine_; ///< the examination does not hold up the others
};

} // namespace holdfast::desktop
