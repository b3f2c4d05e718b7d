// One value that many threads read while another changes it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>

namespace postrider::internal {

// Two equal copies: readers use one of them while the writer changes the other, then readers are sent there and the
// change is made to the first one as well. A reader never waits, whatever the writer does; a change takes twice its
// time, and must do the same to equal values.
//
// Invariant: while a reader is counted, the copy that it was sent to is not changed.
template <class Value>
class LeftRight {
 public:
  LeftRight(Value left, Value right) : values_{std::move(left), std::move(right)} {}

  // Calls read(const Value&) and returns what it returns.
  template <class Read>
  auto read(Read&& read) const {
    const Visit visit(readers_[epoch_.load()]);
    return read(values_[side_.load()]);
  }

  // Calls change(Value&) twice, once for each copy. If it throws for the first copy, that copy may have been changed in
  // part, and is made anew by restore(const Value& good, Value& changed); readers have not seen it.
  template <class Change, class Restore>
  void change(Change&& change, Restore&& restore) {
    const std::lock_guard lock(writers_);
    const std::size_t read_now = side_.load(), other = 1 - read_now;
    try {
      change(values_[other]);
    } catch (...) {
      restore(std::as_const(values_[read_now]), values_[other]);
      throw;
    }
    side_.store(other);
    wait_for_readers();
    change(values_[read_now]);
  }

 private:
  class Visit {
   public:
    explicit Visit(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
    ~Visit() { --count_; }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    std::atomic<std::size_t>& count_;
  };

  // Those who may have been sent to the old side. A reader can be counted in either epoch, since it may be about to
  // be counted when the epoch changes: so both are seen empty, one after the other.
  void wait_for_readers() {
    const std::size_t now = epoch_.load(), next = 1 - now;
    wait_until_empty(next);
    epoch_.store(next);
    wait_until_empty(now);
  }

  void wait_until_empty(std::size_t epoch) const {
    while (readers_[epoch].load() > 0) std::this_thread::yield();
  }

  std::array<Value, 2> values_;
  mutable std::array<std::atomic<std::size_t>, 2> readers_{};
  std::atomic<std::size_t> side_{0}, epoch_{0};
  std::mutex writers_;
};

}  // namespace postrider::internal
