#include "base/workers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr unsigned kThreadCounts[] = {1, 2, 3, 8};

TEST(Workers, NeedsAThread) { EXPECT_THROW(Workers(0), InvalidArgument); }

TEST(Workers, CountsTheCaller) {
  for (unsigned threads : kThreadCounts) EXPECT_EQ(Workers(threads).threads(), threads);
}

TEST(Workers, RunsEveryTaskOnce) {
  for (unsigned threads : kThreadCounts) {
    Workers workers(threads);
    for (std::size_t tasks : {0U, 1U, 2U, 1000U}) {
      std::vector<int> calls(tasks);  // without locks: no two threads get the same task
      workers.run(tasks, [&](std::size_t task) { ++calls[task]; });
      EXPECT_EQ(calls, std::vector<int>(tasks, 1)) << threads << " threads";
    }
  }
}

// Each task waits for all others, so this ends only if every thread takes one.
TEST(Workers, AllThreadsTakePart) {
  constexpr unsigned kThreads = 4;
  Workers workers(kThreads);
  std::latch all_here(kThreads);
  workers.run(kThreads, [&](std::size_t) { all_here.arrive_and_wait(); });
  EXPECT_TRUE(all_here.try_wait());
}

TEST(Workers, ManyShortRuns) {
  Workers workers(3);
  std::atomic<std::size_t> calls = 0;
  constexpr std::size_t kRuns = 2000;
  for (std::size_t i = 0; i < kRuns; ++i) workers.run(2, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 2 * kRuns);
}

TEST(Workers, RethrowsTheLowestFailure) {
  constexpr int kRepeats = 200;
  for (unsigned threads : kThreadCounts) {
    Workers workers(threads);
    for (int i = 0; i < kRepeats; ++i) {
      try {
        workers.run(100, [](std::size_t task) {
          if (task >= 5) throw std::runtime_error(std::to_string(task));
        });
        ADD_FAILURE() << "nothing thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "5") << threads << " threads";
      }
    }
  }
}

// A failure that comes later does not take the place of a lower one.
TEST(Workers, ALaterFailureOfAHigherTaskIsNotTold) {
  Workers workers(2);
  std::latch both_begun(2);
  try {
    workers.run(2, [&](std::size_t task) {
      both_begun.arrive_and_wait();
      if (task == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      throw std::runtime_error(std::to_string(task));
    });
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
}

TEST(Workers, IsUsableAfterAFailure) {
  Workers workers(2);
  EXPECT_THROW(workers.run(1, [](std::size_t) { throw std::runtime_error("once"); }),
               std::runtime_error);
  std::atomic<int> calls = 0;
  workers.run(10, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

TEST(Workers, RandomNumbersDoNotDependOnThreads) {
  std::vector<std::vector<std::uint64_t>> results;
  for (unsigned threads : kThreadCounts) {
    std::vector<std::uint64_t>& bits = results.emplace_back(500);
    Workers(threads).run(bits.size(), [&](std::size_t task) {
      RandomStream random(11, task);
      random.normal();
      bits[task] = random.next_bits();
    });
  }
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Workers, WhoFindsThemBusyWorksAlone) {
  Workers workers(3);
  std::vector<std::atomic<int>> done(20);
  workers.run(4, [&](std::size_t outer) {
    workers.run(5, [&](std::size_t inner) { ++done[outer * 5 + inner]; });
  });
  for (const auto& count : done) EXPECT_EQ(count, 1);
  EXPECT_THROW(workers.run(1,
                           [&](std::size_t) {
                             workers.run(1, [](std::size_t) { throw std::runtime_error("no"); });
                           }),
               std::runtime_error);
  std::vector<std::thread> callers;
  std::atomic<int> tasks = 0;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] { workers.run(50, [&](std::size_t) { ++tasks; }); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(tasks, 200);
}

// A forked process has none of the threads, and must neither wait for them nor join them.
TEST(Workers, AForkedProcessWorksAlone) {
  auto workers = std::make_unique<Workers>(3);
  const pid_t child = fork();
  if (child == 0) {
    int sum = 0;
    workers->run(10, [&](std::size_t task) { sum += static_cast<int>(task); });
    workers.reset();
    _exit(sum == 45 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace postrider
