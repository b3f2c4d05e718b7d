// A command of the user's that is told of changes.
#pragma once

#include <string>
#include <utility>

#include "events/notices.h"

namespace postrider::cli {

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
