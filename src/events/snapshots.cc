#include "events/snapshots.h"

#include "io/output.h"

namespace postrider::cli {

Snapshots::Snapshots(const std::string& model, const std::string& output, double seconds)
    : path_(output.empty() ? model : output),
      is_in_place_(output.empty() || is_same_file(output, model)),
      interval_(seconds),
      version_(model) {}

double Snapshots::age() const {
  return std::chrono::duration<double>(Clock::now() - last_).count();
}

void Snapshots::save(const TableModel& model) {
  if (is_in_place_) {
    save_model(model, version_);
    version_ = FileVersion(path_);
  } else {
    save_model(model, path_);
  }
  last_ = Clock::now();
}

}  // namespace postrider::cli
