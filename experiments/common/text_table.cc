#include "common/text_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include "postrider/error.h"

namespace postrider::experiments {
namespace {

constexpr const char* kCompressed = ".zst";

}  // namespace

std::string existing(const std::string& data, const std::string& file) {
  const std::string path = data + "/" + file;
  for (const std::string& candidate : {path, path + kCompressed})
    if (std::filesystem::exists(candidate)) return candidate;
  reject("--data", data, "must be a folder with " + file);
}

std::vector<std::string> read_lines(const std::string& path) {
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  quoted += "'";
  const std::string command = (path.ends_with(kCompressed) ? "zstd -dc " : "cat ") + quoted;
  const auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  if (!pipe) reject("--data", path, "cannot be read");
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe.get()))
    text.append(chunk.data(), got);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.size() < 2) reject("--data", path, "must hold rows; is zstd installed?");
  lines.erase(lines.begin());
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == ',') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  return fields;
}

double number_of(const std::string& field, const std::string& where) {
  double out = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, out);
  if (error != std::errc() || stop != end) reject(where, field, "must be a number");
  return out;
}

NumberTable read_numbers(const std::string& path) {
  NumberTable out;
  for (const std::string& line : read_lines(path)) {
    const std::vector<std::string> fields = fields_of(line);
    if (out.columns == 0) out.columns = fields.size();
    if (fields.size() != out.columns)
      reject(path, fields.size(), "must have as many fields in every line");
    for (const std::string& field : fields) out.values.push_back(number_of(field, path));
  }
  return out;
}

std::vector<std::vector<std::size_t>> read_splits(const std::string& path) {
  std::vector<std::vector<std::size_t>> out;
  for (const std::string& line : read_lines(path)) {
    std::istringstream numbers(fields_of(line).back());
    out.emplace_back();
    for (std::size_t row = 0; numbers >> row;) out.back().push_back(row);
  }
  return out;
}

std::vector<bool> membership(const std::vector<std::size_t>& listed, std::size_t rows) {
  std::vector<bool> out(rows);
  for (const std::size_t row : listed) out.at(row) = true;
  return out;
}

}  // namespace postrider::experiments
