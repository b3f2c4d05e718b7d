// What a stream says while it runs: lines for a person, or objects for a program, each with its time.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "events/notices.h"
#include "io/output.h"

namespace postrider::cli {

// The time by the clock of the world, as 2026-11-18T08:00:00Z.
std::string time_text();

class StreamLog {
 public:
  // Progress goes to `talk`, warnings to standard error; as JSON both go to standard error.
  StreamLog(bool is_json, bool quiet, std::ostream& talk);

  void warn(const std::string& text);
  // How far it is: a line on a terminal that is written again and again, and in a log one for each snapshot.
  void show(const std::string& line);
  void note(const std::string& line);
  // What it came to; several lines for a person.
  void conclude(const std::string& text);
  void clear() { live_.clear(); }

 private:
  void write(std::string_view level, const std::string& text);

  bool is_json_, quiet_;
  std::ostream& talk_;
  LiveLine live_;
};

// --- A command of the user's that is told of changes.

// It runs by itself: a stream does not wait for it, and what becomes of it is its own matter.
class ChangeHook {
 public:
  ChangeHook(std::string command, std::string model, std::string source)
      : command_(std::move(command)), model_(std::move(model)), source_(std::move(source)) {}

  // A JSON object on its standard input: time, model, source, text and fields of the notice. Nothing if there is no command.
  void tell(const StreamNotice& notice) const;

 private:
  std::string line_of(const StreamNotice& notice) const;

  std::string command_, model_, source_;
};

}  // namespace postrider::cli
