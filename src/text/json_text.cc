#include "text/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace postrider::cli {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// How many bytes the character at the front has; 0 if it is not one.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  // Neither longer than need be, nor half of a pair, nor beyond the last one.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  return size;
}

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const char first = text.front();
    if (size == 0)
      out += kReplacement;
    else if (first == '"' || first == '\\')
      (out += '\\') += first;
    else if (static_cast<unsigned char>(first) < 0x20 || first == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(first));
    else
      out += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out + '"';
}

bool is_json_text(std::string_view text) {
  for (std::size_t size = 0; !text.empty(); text.remove_prefix(size)) {
    size = character_size(text);
    if (size == 0) return false;
  }
  return true;
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : "null";
}

std::string json_object(const JsonMembers& members) {
  std::string out = "{";
  for (const auto& [name, value] : members)
    out += (out.size() > 1 ? ", " : "") + json_text(name) + ": " + value;
  return out + "}";
}

std::string json_page(const Json& json) { return dumped(json, 2); }

std::string json_line(const std::vector<JsonCell>& cells) {
  Json out;
  for (const JsonCell& cell : cells) {
    if (cell.is_text)
      out[cell.name] = cell.text;
    else
      out[cell.name] = cell.number;
  }
  return dumped(out, -1);
}

}  // namespace postrider::cli
