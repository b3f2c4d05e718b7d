#include "report/page/download.h"

#include <fmt/format.h>

#include <cmath>

#include "report/page/text.h"

namespace postrider::internal {
namespace {

// Whatever the cells hold, the address ends where it should: all bytes but letters and digits by their numbers.
std::string as_address(std::string_view bytes) {
  std::string out;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= 'a' && byte <= 'z') || byte == '.' || byte == '-';
    out += is_plain ? std::string(1, each) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

TableBehind::TableBehind(const std::vector<std::string>& headings) {
  for (const std::string& heading : headings) text(heading);
  end_row();
}

TableBehind& TableBehind::text(std::string_view cell) {
  begin_cell();
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    csv_ += cell;
    return *this;
  }
  csv_ += '"';
  for (const char each : cell) csv_ += each == '"' ? "\"\"" : std::string(1, each);
  csv_ += '"';
  return *this;
}

TableBehind& TableBehind::number(double cell) {
  begin_cell();
  if (!std::isnan(cell)) csv_ += fmt::format("{}", cell);
  return *this;
}

void TableBehind::end_row() {
  csv_ += '\n';
  is_first_ = true;
}

void TableBehind::begin_cell() {
  if (!is_first_) csv_ += ',';
  is_first_ = false;
}

std::string TableBehind::link(std::string_view file_name) const {
  return fmt::format(
      "<p class=\"download\"><a download=\"{}\" href=\"data:text/csv;charset=utf-8,{}\">The "
      "numbers "
      "as a table (CSV)</a></p>\n",
      escaped(file_name), as_address(csv_));
}

}  // namespace postrider::internal
