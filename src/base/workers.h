#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace postrider::internal {

// A fixed set of threads that works through numbered tasks. Passed to whoever needs it; there is no
// global pool. A run costs a microsecond to start if it follows another within 0.1 ms, which idle threads
// spend looking for one, else tens of microseconds; its tasks should be worth more than that.
class Workers {
 public:
  // The thread that calls run() is one of them: with 1 nothing is started. Throws InvalidArgument
  // for 0.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] unsigned threads() const;

  // Calls task(0) ... task(tasks - 1), each once, on any thread and in any order, and returns when
  // all have ended. If tasks throw, no further ones are begun and the exception of the lowest
  // number that threw is rethrown here: the same one for any number of threads. Whoever finds the
  // threads busy, as a second caller or a task does, works through its tasks alone; so does a process
  // that was forked, which has none of them.
  void run(std::size_t tasks, const std::function<void(std::size_t task)>& task);

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

// As many, or as there are cores if 0.
unsigned resolved_threads(unsigned asked);

}  // namespace postrider::internal
