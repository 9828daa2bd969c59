// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/screenshot.hpp"

#include "app/desktop/main_window.hpp"
#include "app/desktop/message_strip.hpp"

#include <QApplication>
#include <QEventLoop>
#include <QRegularExpression>
#include <QTimer>

namespace holdfast::desktop {

namespace {

constexpr int patience_ms = 60000;

/// Whether everything that was asked for has arrived.
bool wait_until_settled(const MainWindow& window) {
    QEventLoop loop;
    QTimer limit;
    limit.setSingleShot(true);
    QObject::connect(&limit, &QTimer::timeout, &loop, &QEventLoop::quit);
    limit.start(patience_ms);
    // An answer may ask for more, so each is followed by another look, the last one too.
    do {
        while (!window.settled() && limit.isActive())
            loop.processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::processEvents();
    } while (!window.settled() && limit.isActive());
    return window.settled();
}

Result<void> settle(const MainWindow& window, const Picture& picture) {
    if (!wait_until_settled(window))
        return failed("draw " + picture.file.toStdString(), "the project was not read within a minute",
                      "Try again when the machine is less busy");
    if (window.messages()->is_error())
        return failed("draw " + picture.file.toStdString(), window.messages()->text().toStdString(),
                      "Open the project in the window, which shows what is wrong");
    return {};
}

} // namespace

Result<QSize> size_from_text(const QString& text) {
    static const QRegularExpression form("^(\\d{1,5})x(\\d{1,5})$");
    const auto match = form.match(text);
    const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
    if (!match.hasMatch() || size.width() < 1024 || size.height() < 700 || size.width() > 8192 || size.height() > 8192)
        return invalid("draw a picture", "the size '" + text.toStdString() + "' cannot be drawn",
                       "Write WIDTHxHEIGHT from 1024x700 to 8192x8192, as in --size 1280x800");
    return size;
}

Result<void> draw(MainWindow& window, const Picture& picture) {
    if (!window.screen_names().contains(picture.screen))
        return invalid("draw a picture", "there is no screen '" + picture.screen.toStdString() + "'",
                       "The screens are " + window.screen_names().join(", ").toStdString());
    window.resize(picture.size);
    window.show();
    if (!picture.folder.isEmpty())
        window.open_project(picture.folder);
    if (auto settled = settle(window, picture); !settled)
        return settled;
    window.show_screen(picture.screen, picture.trial);
    if (!picture.compared.isEmpty())
        window.compare_trials(picture.compared);
    if (auto settled = settle(window, picture); !settled)
        return settled;
    if (!window.grab().save(picture.file, "PNG"))
        return failed("write " + picture.file.toStdString(), "it cannot be written",
                      "Check that its folder is there and may be written to");
    return {};
}

} // namespace holdfast::desktop
