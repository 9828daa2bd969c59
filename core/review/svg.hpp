// SPDX-License-Identifier: GPL-3.0-or-later
// A drawing as inline SVG with a title and a description for those who do not see it. Colours come from the document's
// style sheet, by class.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::review {

class Svg {
public:
    enum class Anchor { start, middle, end };
    using Points = std::vector<std::pair<double, double>>;

    /// `id`: letters, digits and hyphens, unique in the document. Sizes and places are in units of the drawing.
    Svg(std::string_view id, double width, double height, std::string_view title, std::string_view description);

    void line(double x1, double y1, double x2, double y2, std::string_view style);
    void rectangle(double x, double y, double width, double height, std::string_view style);
    void circle(double x, double y, double radius, std::string_view style);
    void polygon(const Points& points, std::string_view style);
    void polyline(const Points& points, std::string_view style);
    void text(double x, double y, std::string_view text, std::string_view style, Anchor anchor = Anchor::start);

    std::string markup() const;

private:
    std::string head_, body_;
};

} // namespace holdfast::review
