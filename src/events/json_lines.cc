// A file, or standard input, with a JSON object on each line.
#include "events/event_source.h"

namespace postrider::cli {
namespace {

class JsonLines : public EventSource {
 public:
  JsonLines(const std::string& path, const StreamPosition& from, const StreamOpening& how)
      : path_(path),
        lines_({.path = path,
                .unit = kLines,
                .follow = how.follow,
                .tell = how.tell,
                .stops = how.stops},
               from) {}

  std::vector<Event> next(std::size_t most, std::chrono::milliseconds wait) override {
    return events_of(lines_.next(most, wait));
  }
  std::vector<Event> rest() override { return events_of(lines_.rest()); }
  bool is_at_end() const override { return lines_.is_at_end(); }
  bool has_ended() const override { return lines_.has_ended(); }
  void put_position(StreamPosition& to) const override {
    to.source = path_;
    lines_.put_position(to);
  }

 private:
  static constexpr const char* kLines = "lines";

  static std::vector<Event> events_of(std::vector<Record> records) {
    std::vector<Event> out;
    for (Record& record : records)
      out.push_back({kLines, std::to_string(record.number), std::move(record.text)});
    return out;
  }

  std::string path_;
  LineSource lines_;
};

}  // namespace

std::unique_ptr<EventSource> open_json_lines(const StreamAddress& address,
                                             const StreamPosition& from, const StreamOpening& how) {
  return std::make_unique<JsonLines>(address.names.front(), from, how);
}

}  // namespace postrider::cli
