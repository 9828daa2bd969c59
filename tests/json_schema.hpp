// SPDX-License-Identifier: GPL-3.0-or-later
// JSON Schema (draft 2020-12), the part that resources/schemas uses. A keyword that is not known here is an error when
// the schema is read, wherever it stands: a schema must not look stricter than what is checked.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::test {

class JsonSchema {
public:
    /// Throws std::invalid_argument, with the place in the schema, for what it cannot check.
    explicit JsonSchema(nlohmann::json schema);
    static JsonSchema read(const std::filesystem::path& file);

    /// One line for each thing wrong with `document`: a JSON pointer into it, then what is wrong. Empty: it is valid.
    std::vector<std::string> violations(const nlohmann::json& document) const;
    /// The same against the definition `#/$defs/NAME`.
    std::vector<std::string> violations(const nlohmann::json& document, const std::string& definition) const;

    const nlohmann::json& text() const { return schema_; }

private:
    nlohmann::json schema_;
};

} // namespace holdfast::test
