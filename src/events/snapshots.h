// The model's file, written now and then: beliefs and position together.
#pragma once

#include <chrono>
#include <string>

#include "postrider/file.h"
#include "postrider/table_model.h"

namespace postrider::cli {

class Snapshots {
 public:
  // Made before the model is read: what another program writes in the meantime must not be undone. Without an output
  // the model is written in place.
  Snapshots(const std::string& model, const std::string& output, double seconds);

  bool is_due() const { return age() >= interval_; }
  double age() const;  // seconds since the last one
  void save(const TableModel& model);
  const std::string& path() const { return path_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::string path_;
  bool is_in_place_;
  double interval_;
  FileVersion version_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace postrider::cli
