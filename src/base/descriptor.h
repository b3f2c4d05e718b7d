// An open file that closes itself.
#pragma once

#include <utility>

#include "base/system_files.h"

namespace postrider::internal {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (number_ >= 0) close_file(number_);
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close_file(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  // False if what was written is lost: some file systems say so only now.
  bool close() { return close_file(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace postrider::internal
