// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/config_outline.hpp"

#include "core/project/json_source.hpp"
#include "core/project/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace holdfast {

namespace {

/// The node at `pointer`, and every pointer on the way to it.
struct Path {
    const JsonNode* node = nullptr;
    std::vector<std::string> pointers;
};

const JsonNode* child_of(const JsonNode& node, std::string_view step) {
    if (node.kind != JsonNode::Kind::array)
        return node.member(step);
    const bool number =
        !step.empty() && step.size() < 10 && step.find_first_not_of("0123456789") == std::string_view::npos;
    if (!number || (step.size() > 1 && step[0] == '0'))
        return nullptr;
    const auto index = std::stoul(std::string(step));
    return index < node.children.size() ? &node.children[index] : nullptr;
}

std::string unescaped(std::string_view step) {
    std::string text;
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool escape = step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1');
        text += !escape ? step[i] : step[++i] == '0' ? '~' : '/';
    }
    return text;
}

Path follow(const JsonNode& root, std::string_view pointer) {
    Path path{&root, {}};
    while (!pointer.empty() && path.node != nullptr) {
        const auto end = std::min(pointer.find('/', 1), pointer.size());
        const std::string step = unescaped(pointer.substr(1, end - 1));
        path.pointers.push_back(pointer_to(path.pointers.empty() ? "" : path.pointers.back(), step));
        path.node = child_of(*path.node, step);
        pointer.remove_prefix(end);
    }
    return path;
}

/// Every pointer whose steps joined by dots are `key`.
void with_dots(const JsonNode& node, const std::string& pointer, std::string_view key,
               std::vector<std::string>& found) {
    for (const JsonNode& child : node.children) {
        if (node.kind != JsonNode::Kind::object || !key.starts_with(child.key))
            continue;
        const std::string here = pointer_to(pointer, child.key);
        if (key.size() == child.key.size())
            found.push_back(here);
        else if (key[child.key.size()] == '.')
            with_dots(child, here, key.substr(child.key.size() + 1), found);
    }
}

Result<JsonDocument> parsed(std::string_view text) {
    auto document = parse_json(text);
    if (document)
        return std::move(*document);
    const JsonFault& fault = document.error();
    return failed("read the file",
                  fmt::format("line {}, column {}: {}", fault.line, fault.column, printable(fault.found)),
                  fault.allowed.empty() ? "Correct the JSON" : "Allowed there: " + fault.allowed);
}

/// Nothing when there is no such value. Errors: a key on the way is written twice.
Result<std::optional<JsonNode>> at_pointer(const JsonDocument& document, std::string_view pointer) {
    const Path path = follow(document.root, pointer);
    for (const JsonFault& duplicate : document.duplicates)
        if (std::find(path.pointers.begin(), path.pointers.end(), duplicate.pointer) != path.pointers.end())
            return failed("find the key", fmt::format("it is written again in line {}", duplicate.line),
                          "Leave one of them");
    return path.node == nullptr ? std::nullopt : std::optional(*path.node);
}

} // namespace

Result<std::string> replace_json(std::string_view text, const std::string& pointer, std::string_view json) {
    const std::string attempted = "replace the value at " + printable(pointer);
    if (!pointer.empty() && pointer[0] != '/')
        return failed(attempted, "a JSON pointer starts with /", "Write /a/b");
    if (!nlohmann::json::accept(json))
        return failed(attempted, "the new value is no JSON", "Give one JSON value");
    auto document = parsed(text);
    if (!document)
        return tl::unexpected(document.error());
    const auto node = at_pointer(*document, pointer);
    if (!node)
        return tl::unexpected(node.error());
    if (!*node)
        return failed(attempted, "there is no such value", "Correct the pointer");
    return std::string(text).replace((*node)->begin, (*node)->end - (*node)->begin, json);
}

Result<config::Found> config::find_json(std::string_view text, std::string_view key) {
    auto document = parsed(text);
    if (!document)
        return tl::unexpected(document.error());
    std::vector<std::string> pointers;
    if (key.starts_with('/'))
        pointers.emplace_back(key);
    else
        with_dots(document->root, "", key, pointers);
    if (pointers.size() > 1)
        return failed("find the key",
                      fmt::format("it could be {} or {}", printable(pointers[0]), printable(pointers[1])),
                      "Give the JSON pointer as the key");
    Found found;
    found.absent = "there is no such value";
    if (pointers.empty())
        return found;
    const auto node = at_pointer(*document, pointers.front());
    if (!node)
        return tl::unexpected(node.error());
    if (!*node)
        return found;
    if ((*node)->kind == JsonNode::Kind::array || (*node)->kind == JsonNode::Kind::object)
        return not_understood(static_cast<std::size_t>((*node)->line) - 1, (*node)->description() + ", not one value");
    return Found{true, (*node)->begin, (*node)->end, "", "", "", std::nullopt};
}

} // namespace holdfast
