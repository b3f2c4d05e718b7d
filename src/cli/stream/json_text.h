// Objects of JSON whose texts come from others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postrider::cli {

// As a JSON string, in quotes. Bytes that are not UTF-8 are replaced: what a stranger sends must not end a stream.
std::string json_text(std::string_view text);

// Whether nothing of it is replaced.
bool is_json_text(std::string_view text);

// A JSON number; null if it is none that JSON has.
std::string json_number(double value);

// Names with values that are JSON already, in one line without its end.
using JsonMembers = std::vector<std::pair<std::string_view, std::string>>;
std::string json_object(const JsonMembers& members);

}  // namespace postrider::cli
