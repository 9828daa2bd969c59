// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/review/svg.hpp"

#include "core/review/html.hpp"

#include <fmt/format.h>

namespace holdfast::review {

namespace {

/// Two decimals suffice for a screen and for paper.
std::string place(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string places(const Svg::Points& points) {
    std::string text;
    for (const auto& [x, y] : points)
        text += fmt::format("{}{},{}", text.empty() ? "" : " ", place(x), place(y));
    return text;
}

} // namespace

Svg::Svg(std::string_view id, double width, double height, std::string_view title, std::string_view description)
    : head_(
          fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" "
                      "role=\"img\" aria-labelledby=\"{0}-title {0}-about\">\n<title id=\"{0}-title\">{3}</title>\n"
                      "<desc id=\"{0}-about\">{4}</desc>\n",
                      id, place(width), place(height), html_text(title), html_text(description))) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
    body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", place(x1), place(y1),
                         place(x2), place(y2), style);
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view style) {
    body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", place(x), place(y),
                         place(width), place(height), style);
}

void Svg::circle(double x, double y, double radius, std::string_view style) {
    body_ +=
        fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", place(x), place(y), place(radius), style);
}

void Svg::polygon(const Points& points, std::string_view style) {
    body_ += fmt::format("<polygon points=\"{}\" class=\"{}\"/>\n", places(points), style);
}

void Svg::polyline(const Points& points, std::string_view style) {
    body_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", places(points), style);
}

void Svg::text(double x, double y, std::string_view text, std::string_view style, Anchor anchor) {
    const char* where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", place(x), place(y),
                         where, style, html_text(text));
}

std::string Svg::markup() const {
    return head_ + body_ + "</svg>\n";
}

} // namespace holdfast::review
