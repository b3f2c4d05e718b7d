// The numbers behind a picture, as a file that the page itself holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postrider::internal {

// A table of comma-separated values, as spreadsheets read them.
class TableBehind {
 public:
  explicit TableBehind(const std::vector<std::string>& headings);

  TableBehind& text(std::string_view cell);
  TableBehind& number(double cell);  // empty where it is not a number
  void end_row();

  // A link that keeps the table under this name. It needs no network and no script.
  std::string link(std::string_view file_name) const;

 private:
  void begin_cell();

  std::string csv_;
  bool is_first_ = true;
};

}  // namespace postrider::internal
