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
  std::string metrics() const;  // in the form that Prometheus reads

 private:
  TableProfile profile_;
  mutable std::mutex lock_;
  DriftWatch now_;
  std::vector<DriftWarning> last_;
};

}  // namespace postrider::cli
