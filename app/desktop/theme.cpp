// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/theme.hpp"

#include <QApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleOption>

namespace holdfast::desktop {

namespace {

/// Fusion whose boxes to tick can be seen on dark pages too: its own outline is darker than the page.
class Style : public QProxyStyle {
public:
    Style() : QProxyStyle("Fusion") {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        if (element != PE_IndicatorCheckBox || (option->state & State_Enabled) == 0 || !is_dark(option->palette))
            return;
        painter->save();
        painter->setBrush(Qt::NoBrush);
        painter->setPen(colours(option->palette).muted);
        painter->drawRect(QRectF(option->rect).adjusted(0.5, 0.5, -1.5, -1.5));
        painter->restore();
    }
};

QPalette palette_of(bool dark) {
    const QColor window(dark ? "#26282b" : "#f2f2f2"), base(dark ? "#1b1d1f" : "#ffffff");
    const QColor text(dark ? "#e8e8e8" : "#1b1b1b"), faint(dark ? "#7f858b" : "#8a8a8a");
    const QColor button(dark ? "#35383c" : "#e6e6e6"), accent(dark ? "#3d7fb5" : "#0a64a4");
    QPalette palette(button, window);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
        palette.setColor(role, text);
        palette.setColor(QPalette::Disabled, role, faint);
    }
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, dark ? QColor("#212427") : QColor("#f7f7f7"));
    palette.setColor(QPalette::ToolTipBase, dark ? QColor("#35383c") : QColor("#fffbe6"));
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::PlaceholderText, faint);
    palette.setColor(QPalette::Highlight, accent);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, dark ? QColor("#6db3e8") : accent);
    palette.setColor(QPalette::LinkVisited, dark ? QColor("#b9a3e3") : QColor("#5b3a9e"));
    // Without it a disabled Approve looks like one that can be pressed.
    palette.setColor(QPalette::Disabled, QPalette::Button, window);
    palette.setColor(QPalette::Disabled, QPalette::Base, window);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, faint);
    return palette;
}

} // namespace

void apply_theme(QApplication& application, ThemeChoice choice) {
    static const QPalette of_system = QApplication::palette();
    application.setStyle(new Style);
    const bool dark = choice == ThemeChoice::dark || (choice == ThemeChoice::system && is_dark(of_system));
    QApplication::setPalette(palette_of(dark));
}

bool is_dark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

const Colours& colours(const QPalette& palette) {
    static const Colours light{QColor("#0072b2"), QColor("#b33a1e"), QColor("#6b6b6b"), QColor("#e2e2e2"),
                               QColor("#d0d0d0"), QColor("#404040"), QColor("#5c5c5c"), QColor("#d3ecd9"),
                               QColor("#f8d7d3"), QColor("#b8860b"), QColor("#fff6dd"), QColor("#e5f1fa")};
    static const Colours dark{QColor("#56b4e9"), QColor("#ff8a65"), QColor("#a8adb2"), QColor("#33373b"),
                              QColor("#44494e"), QColor("#c5c9cd"), QColor("#a9afb5"), QColor("#1f4a2c"),
                              QColor("#5a2520"), QColor("#e0b040"), QColor("#3a3220"), QColor("#1e3344")};
    return is_dark(palette) ? dark : light;
}

QFont fixed_font() {
    return QFontDatabase::systemFont(QFontDatabase::FixedFont);
}

QFont scaled_font(double factor, bool bold) {
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setBold(bold);
    return font;
}

} // namespace holdfast::desktop
