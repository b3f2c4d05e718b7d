// Events of a broker, one after another.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/stream/address.h"
#include "cli/stream/notices.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// A row: a JSON object in one piece, or its cells.
struct Event {
  std::string partition, position;
  std::string json = {};
  std::vector<std::pair<std::string, std::string>> cells =
      {};  // column and text, if there is no JSON
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  // Those that come next, at most so many. Waits for the first one, but no longer than this. Throws FileError if the
  // broker cannot be reached.
  virtual std::vector<Event> next(std::size_t most, std::chrono::milliseconds wait) = 0;
  // Whether there was no further event when next() returned.
  virtual bool is_at_end() const = 0;
  // How far behind it is, for a person; empty if nobody knows.
  virtual std::string lag() const = 0;
};

// From behind this position, or from the beginning. Throw InvalidArgument if the program was built without the
// broker's library, CorruptFile if a file has fewer lines than were learned. Told is what the user should know
// meanwhile: that a broker is waited for, or no longer has all events behind the position.
std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const StreamPosition& from,
                                        const Tell& tell);
std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const StreamPosition& from,
                                        const Tell& tell);
std::unique_ptr<EventSource> open_json_lines(const StreamAddress& address,
                                             const StreamPosition& from);

}  // namespace postrider::cli
