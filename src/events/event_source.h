// Events of a broker, one after another.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "events/address.h"
#include "events/broker_settings.h"
#include "events/line_source.h"
#include "events/notices.h"
#include "events/stream_lag.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// How a stream is to be read.
struct StreamOpening {
  bool follow = false;         // a file may grow, and the end of a pipe is not the end
  bool until_end = false;      // the end of a broker's events is the end
  double patience = 30;        // seconds, with a broker that does not answer
  Tell tell = {};              // what the user should know meanwhile
  Stops stops = {};            // whether somebody wants the program to end: asked while it waits
  BrokerSettings broker = {};  // of the connection
};

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
  // Whether nothing can come any more, as behind the end of a file.
  virtual bool has_ended() const { return false; }
  // What was taken from the source and cannot be read again, when the program is about to end.
  virtual std::vector<Event> rest() { return {}; }
  // By which name the model keeps it, and where it stands behind the events that were handed out: of all partitions.
  virtual void put_position(StreamPosition& to) const = 0;
  virtual StreamLag lag() const { return {}; }
  // Why no events come although there may be some: what the user was told of a broker that is waited for. Empty: it answers.
  virtual std::string outage() const { return {}; }
};

// From where the model stands if it knows the source, or from the beginning. Throw InvalidArgument if the program was
// built without the broker's library, CorruptFile if a file has fewer lines than were learned. Told is that a broker is
// waited for, or no longer has all events behind the position.
using KnownSources = std::vector<StreamPosition>;
std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const KnownSources& known,
                                        const StreamOpening& how);
std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const KnownSources& known,
                                        const StreamOpening& how);
std::unique_ptr<EventSource> open_json_lines(const StreamAddress& address,
                                             const StreamPosition& from, const StreamOpening& how);

}  // namespace postrider::cli
