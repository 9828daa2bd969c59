// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/error.hpp"

#include "core/project/text.hpp"

#include <string_view>
#include <utility>

namespace holdfast {

namespace {

void end_sentence(std::string& text) {
    if (std::string_view(".?!\n").find(text.back()) == std::string_view::npos) // a list of lines ends with a newline
        text += '.';
}

tl::unexpected<Error> make(Error::Kind kind, std::string attempted, std::string found, std::string remedy) {
    return tl::unexpected<Error>(Error{kind, std::move(attempted), std::move(found), std::move(remedy)});
}

} // namespace

std::string Error::message() const {
    std::string text = "Cannot " + attempted;
    if (!found.empty())
        text += ": " + found;
    end_sentence(text);
    if (!remedy.empty()) {
        if (text.back() != '\n')
            text += ' ';
        text += remedy;
        end_sentence(text);
    }
    return printable(text, false);
}

tl::unexpected<Error> failed(std::string attempted, std::string found, std::string remedy) {
    return make(Error::Kind::failed, std::move(attempted), std::move(found), std::move(remedy));
}

tl::unexpected<Error> invalid(std::string attempted, std::string found, std::string remedy) {
    return make(Error::Kind::invalid, std::move(attempted), std::move(found), std::move(remedy));
}

tl::unexpected<Error> refused(std::string attempted, std::string found, std::string remedy) {
    return make(Error::Kind::refused, std::move(attempted), std::move(found), std::move(remedy));
}

} // namespace holdfast
