// Whether rows that come without end look as those that the model has learned.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "postrider/table_profile.h"

namespace postrider::cli {

// Judges rows by windows, so that a change is not lost among all rows before it. For any number of threads.
class DriftWindow {
 public:
  static constexpr std::size_t kWindow = 20'000;  // rows

  explicit DriftWindow(const TableProfile& profile);

  void add(const Table& table);
  // About the rows of this window, or of the last one while there are few.
  std::vector<DriftWarning> warnings() const;

 private:
  TableProfile profile_;
  mutable std::mutex lock_;
  DriftWatch now_;
  std::vector<DriftWarning> last_;
};

// What is found of one of several models, by the labels that name it; empty for the only one.
struct ModelDrift {
  std::string labels;
  std::vector<DriftWarning> found;
};
std::string drift_metrics(
    const std::vector<ModelDrift>& models);  // in the form that Prometheus reads

}  // namespace postrider::cli
