// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/diff_inks.hpp"

#include "app/desktop/diff_lines.hpp"

#include <Qsci/qscilexerbash.h>
#include <Qsci/qscilexercmake.h>
#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexerhtml.h>
#include <Qsci/qscilexerjava.h>
#include <Qsci/qscilexerjavascript.h>
#include <Qsci/qscilexerjson.h>
#include <Qsci/qscilexerlua.h>
#include <Qsci/qscilexermakefile.h>
#include <Qsci/qscilexerperl.h>
#include <Qsci/qscilexerproperties.h>
#include <Qsci/qscilexerpython.h>
#include <Qsci/qscilexerruby.h>
#include <Qsci/qscilexersql.h>
#include <Qsci/qscilexerxml.h>
#include <Qsci/qscilexeryaml.h>
#include <Qsci/qsciscintilla.h>

#include <QFileInfo>
#include <QHash>

#include <array>
#include <functional>
#include <memory>

namespace holdfast::desktop {

namespace {

constexpr std::size_t largest = 2 << 20; // bytes; a larger text is generated, and seconds of lexing tell nothing

template <class Lexer> std::unique_ptr<QsciLexer> make() {
    return std::make_unique<Lexer>();
}

std::unique_ptr<QsciLexer> lexer_for(const QString& path) {
    using Maker = std::unique_ptr<QsciLexer> (*)();
    static const QHash<QString, Maker> makers = [] {
        QHash<QString, Maker> all;
        const auto add = [&all](const char* names, Maker maker) {
            for (const QString& name : QString(names).split(' '))
                all.insert(name, maker);
        };
        add("c cc cpp cxx h hh hpp hxx ipp cu cuh cl glsl go rs cs swift kt", make<QsciLexerCPP>);
        add("java", make<QsciLexerJava>);
        add("js jsx mjs ts tsx", make<QsciLexerJavaScript>);
        add("py pyi", make<QsciLexerPython>);
        add("sh bash zsh env", make<QsciLexerBash>);
        add("cmake cmakelists.txt", make<QsciLexerCMake>);
        add("json", make<QsciLexerJSON>);
        add("ini conf cfg properties toml service", make<QsciLexerProperties>);
        add("yml yaml", make<QsciLexerYAML>);
        add("makefile mk", make<QsciLexerMakefile>);
        add("sql", make<QsciLexerSQL>);
        add("lua", make<QsciLexerLua>);
        add("rb", make<QsciLexerRuby>);
        add("pl pm", make<QsciLexerPerl>);
        add("html htm", make<QsciLexerHTML>);
        add("xml svg ui", make<QsciLexerXML>);
        return all;
    }();
    const QFileInfo file(path);
    const Maker by_name = makers.value(file.fileName().toLower());
    const Maker maker = by_name != nullptr ? by_name : makers.value(file.suffix().toLower());
    return maker != nullptr ? maker() : nullptr;
}

/// Lexers number their styles each in its own way, but describe them in the same words.
std::array<char, 256> inks_by_style(const QsciLexer& lexer) {
    const std::pair<const char*, Ink> words[] = {
        {"comment", Ink::comment},        {"string", Ink::text},         {"character", Ink::text},
        {"regular", Ink::text},           {"number", Ink::number},       {"keyword", Ink::keyword},
        {"preprocessor", Ink::directive}, {"decorator", Ink::directive}, {"section", Ink::directive}};
    std::array<char, 256> inks{};
    for (int style = 0; style < 128; ++style) {
        const QString description = lexer.description(style).toLower();
        for (const auto& [word, ink] : words)
            if (description.contains(word)) {
                inks[static_cast<std::size_t>(style)] = static_cast<char>(ink);
                break;
            }
    }
    return inks;
}

std::string style_bytes(const std::string& text, QsciLexer& lexer) {
    QsciScintilla editor;
    editor.setUtf8(true);
    editor.setLexer(&lexer);
    const auto size = static_cast<unsigned long>(text.size());
    editor.SendScintilla(QsciScintilla::SCI_CLEARALL);
    editor.SendScintilla(QsciScintilla::SCI_ADDTEXT, size, text.data());
    editor.SendScintilla(QsciScintilla::SCI_COLOURISE, 0UL, -1L);
    std::string styles(text.size(), '\0');
    for (std::size_t i = 0; i < styles.size(); ++i)
        styles[i] =
            static_cast<char>(editor.SendScintilla(QsciScintilla::SCI_GETSTYLEAT, static_cast<unsigned long>(i)));
    editor.setLexer(nullptr);
    return styles;
}

} // namespace

std::vector<std::string> inks_of(const std::string& path, const std::string& text) {
    if (text.size() > largest)
        return {};
    const auto lexer = lexer_for(QString::fromStdString(path));
    if (!lexer)
        return {};
    const auto inks = inks_by_style(*lexer);
    const std::string styles = style_bytes(text, *lexer);
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n')
            lines.emplace_back();
        else
            lines.back() += inks[static_cast<unsigned char>(styles[i])];
    return lines;
}

} // namespace holdfast::desktop
