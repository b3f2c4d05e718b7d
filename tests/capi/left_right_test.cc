#include "capi/left_right.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace postrider {
using namespace internal;
namespace {

// Two numbers that a change makes equal again only at its end.
struct Pair {
  int first = 0, second = 0;
};

void increase(Pair& pair) {
  ++pair.first;
  std::this_thread::yield();
  ++pair.second;
}

void restore(const Pair& good, Pair& changed) { changed = good; }

TEST(LeftRight, ReadersSeeWholeChangesInTheirOrder) {
  constexpr int kChanges = 200;
  LeftRight<Pair> value(Pair{}, Pair{});
  std::atomic<int> torn = 0, backwards = 0, ready = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> readers;
  for (int k = 0; k < 3; ++k)
    readers.emplace_back([&] {
      ++ready;
      for (int last = 0; !is_over;) {
        const Pair seen = value.read([](const Pair& pair) { return pair; });
        if (seen.first != seen.second) ++torn;
        if (seen.first < last) ++backwards;
        last = seen.first;
      }
    });
  while (ready < 3) std::this_thread::yield();
  for (int k = 0; k < kChanges; ++k) value.change(increase, restore);
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(backwards, 0);
  EXPECT_EQ(value.read([](const Pair& pair) { return pair.second; }), kChanges);
}

TEST(LeftRight, AReaderDoesNotWaitForAWriter) {
  LeftRight<Pair> value(Pair{}, Pair{});
  std::atomic<bool> is_inside = false, may_end = false;
  std::thread writer([&] {
    value.change(
        [&](Pair& pair) {
          is_inside = true;
          while (!may_end) std::this_thread::yield();
          increase(pair);
        },
        restore);
  });
  while (!is_inside) std::this_thread::yield();
  EXPECT_EQ(value.read([](const Pair& pair) { return pair.first; }), 0);  // would hang if it waited
  may_end = true;
  writer.join();
  EXPECT_EQ(value.read([](const Pair& pair) { return pair.first; }), 1);
}

TEST(LeftRight, WhatFailsHalfWayIsNotSeen) {
  LeftRight<Pair> value(Pair{}, Pair{});
  const auto fail = [](Pair& pair) {
    ++pair.first;
    throw std::runtime_error("half way");
  };
  EXPECT_THROW(value.change(fail, restore), std::runtime_error);
  for (int k = 1; k <= 2; ++k) {
    value.change(increase, restore);
    const Pair seen = value.read([](const Pair& pair) { return pair; });
    EXPECT_EQ(seen.first, k);
    EXPECT_EQ(seen.second, k);
  }
}

}  // namespace
}  // namespace postrider
