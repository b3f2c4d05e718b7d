#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "base/system_files.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// One call of run(): what is shared by the threads that work on it.
class Job {
 public:
  Job(std::size_t tasks, const std::function<void(std::size_t)>& task)
      : tasks_(tasks), task_(task) {}

  // Takes tasks until there are none left.
  //
  // Numbers are handed out in order and a task that was begun is always finished. So the lowest
  // task that throws is begun before any other failure can stop the job, whatever the timing.
  void work() {
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= tasks_) return;
      try {
        task_(number);
      } catch (...) {
        note_failure(number);
      }
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void note_failure(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (number < failed_task_) {
      failed_task_ = number;
      failure_ = std::current_exception();
    }
    failed_.store(true, std::memory_order_relaxed);
  }

  const std::size_t tasks_;
  const std::function<void(std::size_t)>& task_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::size_t failed_task_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure_;
};

}  // namespace

class Workers::Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      ++changes_;
    }
    job_posted_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  // Not in the constructor: if a thread cannot be started, the destructor joins those that were.
  void start(unsigned helpers) {
    // Who spins where there are more threads than cores keeps others from working.
    if (helpers < std::thread::hardware_concurrency()) spins_ = kSpins;
    helpers_.reserve(helpers);
    for (unsigned i = 0; i < helpers; ++i) helpers_.emplace_back([this] { help(); });
  }

  std::size_t helpers() const { return helpers_.size(); }

  // Threads do not live on in a forked process.
  bool is_ours() const { return process_ == process_number(); }

  void run(Job& job) {
    if (helpers_.empty() || !is_ours() || running_.exchange(true)) {
      job.work();
      return job.rethrow_failure();
    }
    bool anyone_asleep = false;
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++changes_;
      anyone_asleep = asleep_ > 0;
    }
    if (anyone_asleep) job_posted_.notify_all();
    job.work();
    {
      // Whoever has not begun by now is not waited for.
      const std::lock_guard lock(mutex_);
      job_ = nullptr;
    }
    spin_until([this] { return helping_.load() == 0; });
    {
      std::unique_lock lock(mutex_);
      helpers_done_.wait(lock, [this] { return helping_ == 0; });
    }
    running_.store(false);
    job.rethrow_failure();
  }

 private:
  // About 0.1 ms: passes over the layers of a large network follow each other within less, and to be
  // woken takes nearly as long.
  static constexpr int kSpins = 2000;

  template <class Done>
  void spin_until(Done&& done) const {
    for (int i = 0; i < spins_ && !done(); ++i) pause();
  }
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
  }

  void help() {
    std::size_t seen = 0;
    while (true) {
      spin_until([&] { return changes_.load() != seen; });
      std::unique_lock lock(mutex_);
      ++asleep_;
      job_posted_.wait(lock, [&] { return changes_ != seen; });
      --asleep_;
      if (stopping_) return;
      seen = changes_;
      if (job_ == nullptr) continue;  // it came to its end
      Job& job = *job_;
      ++helping_;
      lock.unlock();
      job.work();
      lock.lock();
      if (--helping_ == 0) helpers_done_.notify_one();
    }
  }

  std::vector<std::thread> helpers_;
  std::int64_t process_ = process_number();
  int spins_ = 0;
  std::atomic<bool> running_ = false;
  std::mutex mutex_;  // guards all below; who spins only looks
  std::condition_variable job_posted_;
  std::condition_variable helpers_done_;
  Job* job_ = nullptr;
  std::atomic<std::size_t> changes_ = 0;  // jobs posted, and the end
  std::atomic<std::size_t> helping_ = 0;  // helpers that work on the job
  std::size_t asleep_ = 0;
  bool stopping_ = false;
};

Workers::Workers(unsigned threads) : pool_(std::make_unique<Pool>()) {
  if (threads == 0) reject("threads", threads, "must be at least 1");
  pool_->start(threads - 1);
}

Workers::~Workers() {
  // Nobody to join, and nobody who would wake up: what waits for threads must not be destroyed.
  if (!pool_->is_ours()) (void)pool_.release();
}

unsigned Workers::threads() const { return static_cast<unsigned>(pool_->helpers()) + 1; }

void Workers::run(std::size_t tasks, const std::function<void(std::size_t task)>& task) {
  Job job(tasks, task);
  pool_->run(job);
}

unsigned resolved_threads(unsigned asked) {
  return asked > 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace postrider::internal
