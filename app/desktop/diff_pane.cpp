// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/diff_pane.hpp"

#include "app/desktop/theme.hpp"

#include <QEvent>
#include <QFontInfo>
#include <QScrollBar>

#include <algorithm>

namespace holdfast::desktop {

namespace {

using Kind = ShownLine::Kind;

constexpr int number_margin = 0, place_margin = 1;
constexpr int number_style = 32 - 1; // below Scintilla's own styles, above the inks
constexpr int front_marker = 8;
constexpr int first_free_style = 10;

int marker_of(Kind kind) {
    return static_cast<int>(kind);
}

QColor mixed(const QColor& one, const QColor& other, double share) {
    const auto channel = [share](int a, int b) { return static_cast<int>(a + share * (b - a)); };
    return {channel(one.red(), other.red()), channel(one.green(), other.green()), channel(one.blue(), other.blue())};
}

struct InkColours {
    QColor comment, text, number, keyword, directive;
};

/// At least 4.5:1 on the backgrounds of added and removed lines too.
const InkColours& ink_colours(bool dark) {
    static const InkColours on_light{"#5a5f66", "#7a3e00", "#6a1b9a", "#0b4f8a", "#5d4b00"};
    static const InkColours on_dark{"#a9b1ba", "#f0c08a", "#d7b4f5", "#8cc8f5", "#e0d08a"};
    return dark ? on_dark : on_light;
}

QString number(std::size_t line, int width) {
    return line == 0 ? QString(width, ' ') : QString::number(line).rightJustified(width, ' ');
}

} // namespace

DiffPane::DiffPane(Numbers numbers, QWidget* parent) : QsciScintilla(parent), numbers_(numbers) {
    setUtf8(true);
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setWrapMode(WrapNone);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
    SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1UL);
    SendScintilla(SCI_SETLEXER, static_cast<unsigned long>(SCLEX_CONTAINER));
    SendScintilla(SCI_SETTABWIDTH, 4UL);
    setMarginType(number_margin, TextMarginRightJustified);
    setMarginType(place_margin, SymbolMargin);
    setMarginMarkerMask(number_margin, 0);
    setMarginMarkerMask(place_margin, 1 << front_marker);
    for (int margin = 2; margin < 5; ++margin)
        setMarginWidth(margin, 0);
    for (const Kind kind : {Kind::added, Kind::removed, Kind::file, Kind::hunk, Kind::filler})
        markerDefine(Background, marker_of(kind));
    markerDefine(RightTriangle, front_marker);
    apply_colours();
}

void DiffPane::apply_colours() {
    const QPalette& shades = palette();
    const Colours& theme = colours(shades);
    const QColor base = shades.color(QPalette::Base), text = shades.color(QPalette::Text);
    const QFont font = fixed_font();
    setPaper(base);
    setColor(text);
    SendScintilla(SCI_STYLESETFONT, static_cast<unsigned long>(STYLE_DEFAULT),
                  QFontInfo(font).family().toUtf8().constData());
    SendScintilla(SCI_STYLESETSIZEFRACTIONAL, static_cast<unsigned long>(STYLE_DEFAULT),
                  static_cast<long>(font.pointSizeF() * static_cast<int>(SC_FONT_SIZE_MULTIPLIER)));
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(STYLE_DEFAULT), text);
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(STYLE_DEFAULT), base);
    SendScintilla(SCI_STYLECLEARALL);
    const InkColours& inks = ink_colours(is_dark(shades));
    const QColor by_ink[first_free_style] = {text,           inks.comment, inks.text, inks.number, inks.keyword,
                                             inks.directive, theme.worse,  text,      theme.muted, theme.muted};
    for (int style = 0; style < first_free_style; ++style)
        SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(style), by_ink[style]);
    for (const Ink bold : {Ink::hidden, Ink::heading})
        SendScintilla(SCI_STYLESETBOLD, static_cast<unsigned long>(bold), 1L);
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(number_style), theme.muted);
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(number_style), shades.color(QPalette::AlternateBase));
    setMarginsBackgroundColor(shades.color(QPalette::AlternateBase));
    setMarginsForegroundColor(theme.muted);
    const auto paint = [this](Kind kind, const QColor& colour) { setMarkerBackgroundColor(colour, marker_of(kind)); };
    paint(Kind::added, theme.added);
    paint(Kind::removed, theme.removed);
    paint(Kind::file, mixed(base, text, 0.14));
    paint(Kind::hunk, mixed(base, text, 0.05));
    paint(Kind::filler, shades.color(QPalette::AlternateBase));
    setMarkerForegroundColor(shades.color(QPalette::Link), front_marker);
    setMarkerBackgroundColor(shades.color(QPalette::Link), front_marker);
    setCaretForegroundColor(text);
    setSelectionBackgroundColor(shades.color(QPalette::Highlight));
    setSelectionForegroundColor(shades.color(QPalette::HighlightedText));
}

void DiffPane::show_lines(const std::vector<ShownLine>& lines) {
    std::string text, inks;
    for (const ShownLine& line : lines) {
        text += line.text + '\n';
        inks += line.inks + '\0';
    }
    if (!text.empty()) { // no empty line after the last
        text.pop_back();
        inks.pop_back();
    }
    setReadOnly(false);
    markerDeleteAll();
    SendScintilla(SCI_CLEARALL);
    SendScintilla(SCI_MARGINTEXTCLEARALL);
    SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    SendScintilla(SCI_APPENDTEXT, static_cast<unsigned long>(text.size()), text.data());
    SendScintilla(SCI_STARTSTYLING, 0UL, 0L);
    SendScintilla(SCI_SETSTYLINGEX, static_cast<unsigned long>(inks.size()), inks.data());
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].kind != Kind::context && lines[i].kind != Kind::note)
            SendScintilla(SCI_MARKERADD, static_cast<unsigned long>(i), static_cast<long>(marker_of(lines[i].kind)));
    show_numbers(lines);
    setReadOnly(true);
}

void DiffPane::show_numbers(const std::vector<ShownLine>& lines) {
    std::size_t largest = 1;
    for (const ShownLine& line : lines)
        largest = std::max({largest, line.old_line, line.new_line});
    const int digits = std::max(3, static_cast<int>(std::to_string(largest).size()));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const ShownLine& line = lines[i];
        if (line.old_line == 0 && line.new_line == 0 && !line.continued)
            continue;
        const char sign = line.kind == Kind::added ? '+' : line.kind == Kind::removed ? '-' : ' ';
        QString words;
        if (numbers_ != Numbers::after)
            words += number(line.old_line, digits) + ' ';
        if (numbers_ != Numbers::before)
            words += number(line.new_line, digits) + ' ';
        setMarginText(static_cast<int>(i), (line.continued ? "↪ " : words) + sign, number_style);
    }
    const int numbers = numbers_ == Numbers::both ? 2 : 1;
    setMarginWidth(number_margin, QString(numbers * (digits + 1) + 2, '0'));
    setMarginWidth(place_margin, 14);
}

void DiffPane::go_to(std::size_t line) {
    markerDeleteAll(front_marker);
    markerAdd(static_cast<int>(line), front_marker);
    setCursorPosition(static_cast<int>(line), 0);
    setFirstVisibleLine(std::max(0, static_cast<int>(line) - 1));
    horizontalScrollBar()->setValue(0);
}

void DiffPane::set_viewed(std::size_t line, bool viewed) {
    if (viewed)
        setMarginText(static_cast<int>(line), "viewed ", number_style);
    else
        clearMarginText(static_cast<int>(line));
}

void DiffPane::changeEvent(QEvent* event) {
    QsciScintilla::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        apply_colours();
}

} // namespace holdfast::desktop
