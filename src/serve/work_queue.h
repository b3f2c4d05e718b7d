// Requests that wait for a worker, and the workers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/http_message.h"

namespace postrider::cli {

// Answers requests on threads of its own. Requests with short bodies go first, and one worker takes no others: whoever
// asks for ten thousand rows keeps nobody waiting who asks for one. Short ones that ask for the same are answered together.
class WorkQueue {
 public:
  static constexpr std::size_t kShort = 8192;       // bytes of a body
  static constexpr std::size_t kMostTogether = 32;  // requests

  struct Job {
    HttpRequest request;
    std::function<void(HttpAnswer)> done;  // called by a worker
  };
  // One answer for each. All have the same target and type, or there is only one. May throw.
  using Answering = std::function<std::vector<HttpAnswer>(const std::vector<HttpRequest>&)>;

  WorkQueue(std::size_t workers, std::size_t most_waiting, Answering answering);
  ~WorkQueue();  // as end()
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  bool add(Job job);  // false: too many wait already, and the job is forgotten
  void end();         // waits for what has begun; the rest is forgotten
  std::size_t waiting() const;

 private:
  void work(bool only_short);
  std::vector<Job> next(bool only_short);  // empty: it is over
  void answer(std::vector<Job> jobs) const;

  std::size_t most_waiting_;
  Answering answering_;
  mutable std::mutex lock_;
  std::condition_variable short_came_, any_came_;
  std::deque<Job> short_, long_;
  bool is_over_ = false, is_short_worker_idle_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace postrider::cli
