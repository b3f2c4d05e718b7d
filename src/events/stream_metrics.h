// The figures of a stream in the form that Prometheus reads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "events/event_source.h"
#include "events/late_targets.h"
#include "events/rotated_files.h"
#include "events/running_score.h"

namespace postrider::cli {

struct StreamFigures {
  std::size_t rows = 0, refused = 0, changes = 0;
  double rows_per_second = 0, snapshot_age = 0;
  StreamLag lag;
  bool source_answers = true;
  const RunningScore& score;
  struct Late {
    LateTargets::Counts counts = {};
    std::size_t waiting = 0;
  };
  std::optional<Late> late = {};  // where targets come late
};

std::string stream_metrics(const StreamFigures& figures);

// --- What a stream does, for whoever watches many programs: one small page over HTTP.

// Answers GET /metrics in the form that Prometheus reads, GET /live and GET /ready, which is 503 in an outage. Requests have 4 kB at most and two seconds; up
// to 64 wait side by side, and whoever comes when there are more takes the place of the one that has waited longest. It is for a
// scraper, not for the world, and listens on this machine alone.
class MetricsServer {
 public:
  // Port 0 takes one that is free. Throws FileError if it cannot listen.
  explicit MetricsServer(int port);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return port_; }
  // What /metrics shows, and why the program is not ready; empty: it is. Before the first call it is not.
  void publish(std::string text, std::string outage);

 private:
  struct Caller {
    OpenFile connection;
    std::chrono::steady_clock::time_point until;
    std::string request = {};
  };
  void run();
  void take_callers(std::vector<Caller>& callers) const;
  // Whether the caller is done with: answered, gone, or out of time.
  bool hears(Caller& caller, bool is_readable);
  void answer(const Caller& caller);

  OpenFile listener_;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  std::mutex lock_;
  std::string text_, outage_ = "the program has not opened its source yet";
  std::thread thread_;
};

}  // namespace postrider::cli
