// A file, or standard input, with a JSON object on each line.
#include <cerrno>
#include <fstream>
#include <iostream>

#include "cli/stream/event_source.h"
#include "cli/stream/position.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

class JsonLines : public EventSource {
 public:
  JsonLines(const std::string& path, const StreamPosition& from) {
    if (path != "-") {
      file_.open(path);
      if (!file_) throw FileError("cannot open " + path, path, errno);
    }
    const std::size_t learned = number_at(from, kPartition).value_or(0);
    for (std::string line; lines_ < learned && std::getline(input(), line);) ++lines_;
    expect_learned(path, kPartition, lines_, path == "-" ? 0 : learned);
  }

  // A file does not keep anybody waiting.
  std::vector<Event> next(std::size_t most, std::chrono::milliseconds /*wait*/) override {
    std::vector<Event> out;
    for (std::string line; out.size() < most;) {
      is_at_end_ = !std::getline(input(), line);
      if (is_at_end_) break;
      ++lines_;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      out.push_back({kPartition, std::to_string(lines_), std::move(line)});
    }
    return out;
  }

  bool is_at_end() const override { return is_at_end_; }
  std::string lag() const override { return ""; }

 private:
  static constexpr const char* kPartition = "lines";

  std::istream& input() { return file_.is_open() ? static_cast<std::istream&>(file_) : std::cin; }

  std::ifstream file_;
  std::size_t lines_ = 0;
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<EventSource> open_json_lines(const StreamAddress& address,
                                             const StreamPosition& from) {
  return std::make_unique<JsonLines>(address.names.front(), from);
}

}  // namespace postrider::cli
