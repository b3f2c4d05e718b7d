// Events of a broker, one after another: where they stand, how far behind them the program is, how long a broker is waited for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/address.h"
#include "events/broker_settings.h"
#include "events/line_source.h"
#include "events/notices.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// Each source counts in one unit as long as it is there: whoever draws a curve of it must not find another one in an outage.
struct StreamLag {
  enum class Unit { none, events, seconds };  // none: a file, whose end nobody knows

  Unit unit = Unit::none;
  double value = std::numeric_limits<double>::quiet_NaN();  // not a number: nobody knows just now

  // "17 events", "0.4 s", "none" or "unknown"; empty without a unit.
  std::string text() const;
};

// --- Events of a broker, one after another.

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
  virtual void put_position(TableModel::StreamPosition& to) const = 0;
  virtual StreamLag lag() const { return {}; }
  // Why no events come although there may be some: what the user was told of a broker that is waited for. Empty: it answers.
  virtual std::string outage() const { return {}; }
};

// From where the model stands if it knows the source, or from the beginning. Throw InvalidArgument if the program was
// built without the broker's library, CorruptFile if a file has fewer lines than were learned. Told is that a broker is
// waited for, or no longer has all events behind the position.
using KnownSources = std::vector<TableModel::StreamPosition>;
std::unique_ptr<EventSource> open_kafka(const StreamAddress& address, const KnownSources& known,
                                        const StreamOpening& how);
std::unique_ptr<EventSource> open_redis(const StreamAddress& address, const KnownSources& known,
                                        const StreamOpening& how);
std::unique_ptr<EventSource> open_json_lines(const StreamAddress& address,
                                             const TableModel::StreamPosition& from,
                                             const StreamOpening& how);

// --- Positions that are numbers.

// Where a partition stands, if the model knows it. Throws CorruptFile if that is not a number.
std::optional<std::uint64_t> number_at(const TableModel::StreamPosition& position,
                                       const std::string& partition);

// Throws CorruptFile if a file ends before what the model has learned of it: it is another one.
void expect_learned(const std::string& path, const std::string& partition, std::uint64_t found,
                    std::uint64_t learned);

// --- How long a broker that does not answer is waited for, and what the user is told meanwhile.

// At the beginning an address may be wrong, and whoever wants to read to the end wants an end. Whoever
// follows a stream is not served by a program that is gone when the broker is back.
class BrokerWait {
 public:
  BrokerWait(const StreamAddress& address, const StreamOpening& how)
      : address_(address.text), how_(how) {}

  // Tells it at once, and every half minute. Throws FileError if that was too long.
  void missing(const std::string& why);
  // Tells it, if it was missing.
  void answers();
  bool is_missing() const { return is_missing_; }
  bool has_answered() const { return has_answered_; }
  // What is wrong; empty if the broker answers.
  std::string outage() const;
  bool stops() const { return how_.stops && how_.stops(); }
  void tell(const std::string& what) const { how_.tell(address_ + ": " + what); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string address_;
  StreamOpening how_;
  bool is_missing_ = false, has_answered_ = false;
  std::string why_;
  Clock::time_point since_ = {}, told_ = {};
};

}  // namespace postrider::cli
