// JSON as the programs write it. Texts of others may hold bytes that are not UTF-8: they are replaced, so that what a stranger sends ends neither a stream nor an answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
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

// In many lines, as people like to read it.
std::string json_page(const nlohmann::ordered_json& json);

// One cell of a prediction: its name, and a number or a text.
struct JsonCell {
  std::string name;
  double number = 0;
  std::string text = {};
  bool is_text = !text.empty();
};
std::string json_line(const std::vector<JsonCell>& cells);

}  // namespace postrider::cli
