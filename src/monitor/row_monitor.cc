// Rows as they come: all of them at once, and without end by windows.
#include <mutex>
#include <utility>

#include "postrider/error.h"
#include "postrider/monitor.h"

namespace postrider {

namespace internal {

class DriftWindowState {
 public:
  DriftWindowState(const TableProfile& profile, std::size_t rows)
      : profile_(profile), rows_(rows), now_(profile) {}

  void add(const Table& table) {
    const std::lock_guard lock(lock_);
    now_.add(table);
    if (now_.rows() < rows_) return;
    last_ = now_.warnings();
    now_ = DriftWatch(profile_);
  }

  std::vector<DriftWatch::Warning> warnings() const {
    const std::lock_guard lock(lock_);
    std::vector<DriftWatch::Warning> out = now_.warnings();
    return out.empty() && now_.rows() < rows_ / 10 ? last_ : out;
  }

 private:
  TableProfile profile_;
  std::size_t rows_;
  mutable std::mutex lock_;
  DriftWatch now_;
  std::vector<DriftWatch::Warning> last_;
};

}  // namespace internal

RowMonitor::RowMonitor(const TableProfile& profile) : drift_(profile), repeats_(profile.sample) {}

void RowMonitor::add(const Table& table) {
  drift_.add(table);
  repeats_.add(table);
  digest_.add(table);
}

DriftWindow::DriftWindow(const TableProfile& profile, std::size_t rows) {
  if (rows == 0) reject("rows", rows, "must be at least 1");
  state_ = std::make_unique<internal::DriftWindowState>(profile, rows);
}
DriftWindow::~DriftWindow() = default;

void DriftWindow::add(const Table& table) { state_->add(table); }

std::vector<DriftWatch::Warning> DriftWindow::warnings() const { return state_->warnings(); }

}  // namespace postrider
