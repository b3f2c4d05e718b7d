// What a stream does, for whoever watches many programs: one small page over HTTP.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "cli/stream/rotated_files.h"

namespace postrider::cli {

// Answers GET /metrics in the form that Prometheus reads, GET /live and GET /ready. One request at a time, of 4 kB at
// most and within two seconds: it is for a scraper, not for the world, and listens on this machine alone.
class MetricsServer {
 public:
  // Port 0 takes one that is free. Throws FileError if it cannot listen.
  explicit MetricsServer(int port);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return port_; }
  void publish(std::string text);

 private:
  void run();
  void answer(int descriptor);

  OpenFile listener_;
  int port_ = 0;
  std::atomic<bool> ends_ = false;
  std::mutex lock_;
  std::string text_;
  std::thread thread_;
};

}  // namespace postrider::cli
