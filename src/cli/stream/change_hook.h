// A command of the user's that is told of changes.
#pragma once

#include <string>

namespace postrider::cli {

// It runs by itself: a stream does not wait for it, and what becomes of it is its own matter.
class ChangeHook {
 public:
  explicit ChangeHook(std::string command) : command_(std::move(command)) {}

  // A JSON object with time and text on its standard input. Nothing if there is no command.
  void tell(const std::string& text) const;

 private:
  std::string command_;
};

}  // namespace postrider::cli
