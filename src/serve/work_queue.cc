#include "serve/work_queue.h"

#include <exception>
#include <new>
#include <utility>

namespace postrider::cli {
namespace {

bool ask_for_the_same(const HttpRequest& one, const HttpRequest& other) {
  return one.target == other.target && one.content_type == other.content_type &&
         one.method == other.method;
}

// What a request holds must never end the program: whatever is thrown becomes an answer.
std::vector<HttpAnswer> guarded(const WorkQueue::Answering& answering,
                                const std::vector<HttpRequest>& requests) {
  try {
    return answering(requests);
  } catch (const std::bad_alloc&) {
    return {requests.size(), refusal(503, "there is not enough memory for this request")};
  } catch (const std::exception& error) {
    return {requests.size(), refusal(500, std::string("the server failed: ") + error.what())};
  } catch (...) {
    return {requests.size(), refusal(500, "the server failed")};
  }
}

}  // namespace

WorkQueue::WorkQueue(std::size_t workers, std::size_t most_waiting, Answering answering)
    : most_waiting_(most_waiting), answering_(std::move(answering)) {
  for (std::size_t w = 0; w < workers; ++w)
    workers_.emplace_back([this, only_short = w == 0 && workers > 1] { work(only_short); });
}

WorkQueue::~WorkQueue() { end(); }

bool WorkQueue::add(Job job) {
  const bool is_short = job.request.body.size() <= kShort;
  const std::lock_guard lock(lock_);
  if (is_over_ || short_.size() + long_.size() >= most_waiting_) return false;
  (is_short ? short_ : long_).push_back(std::move(job));
  (is_short && is_short_worker_idle_ ? short_came_ : any_came_).notify_one();
  return true;
}

void WorkQueue::end() {
  {
    const std::lock_guard lock(lock_);
    is_over_ = true;
    short_.clear();
    long_.clear();
  }
  short_came_.notify_all();
  any_came_.notify_all();
  for (std::thread& worker : workers_)
    if (worker.joinable()) worker.join();
}

std::size_t WorkQueue::waiting() const {
  const std::lock_guard lock(lock_);
  return short_.size() + long_.size();
}

void WorkQueue::work(bool only_short) {
  while (true) {
    std::vector<Job> jobs = next(only_short);
    if (jobs.empty()) return;
    answer(std::move(jobs));
  }
}

std::vector<WorkQueue::Job> WorkQueue::next(bool only_short) {
  std::unique_lock lock(lock_);
  if (only_short) is_short_worker_idle_ = true;
  (only_short ? short_came_ : any_came_).wait(lock, [&] {
    return is_over_ || !short_.empty() || (!only_short && !long_.empty());
  });
  if (only_short) is_short_worker_idle_ = false;
  std::vector<Job> out;
  if (is_over_) return out;
  std::deque<Job>& from = short_.empty() ? long_ : short_;
  do {
    out.push_back(std::move(from.front()));
    from.pop_front();
  } while (!short_.empty() && &from == &short_ && out.size() < kMostTogether &&
           ask_for_the_same(out.front().request, from.front().request));
  return out;
}

void WorkQueue::answer(std::vector<Job> jobs) const {
  std::vector<HttpRequest> requests;
  for (Job& job : jobs) requests.push_back(std::move(job.request));
  std::vector<HttpAnswer> answers = guarded(answering_, requests);
  for (std::size_t k = 0; k < jobs.size(); ++k) jobs[k].done(std::move(answers[k]));
}

}  // namespace postrider::cli
