// Files of sparse rows, read block by block.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "data/byte_source.h"
#include "data/cell.h"
#include "data/cell_columns.h"
#include "data/libsvm.h"
#include "postrider/error.h"
#include "postrider/sparse/model.h"
#include "sparse/vw_text.h"

namespace postrider::sparse {
using namespace internal;
namespace {

constexpr std::size_t kMostBytesPerRow = std::size_t{1} << 26;
constexpr std::size_t kRowsAtOnce = 256;

// One row of LIBSVM text, with the keys of its indices.
void add_row(const LibsvmText& rows, std::size_t row, const TextWindow& window, FeatureRows& to) {
  const std::string_view label = rows.labels[row];
  double target = std::numeric_limits<double>::quiet_NaN();
  if (!label.empty()) {
    // LIBSVM writes the sign of positive labels.
    const Cell cell = read_cell(label.substr(label[0] == '+' ? 1 : 0));
    if (cell.kind != CellKind::number)
      window.fail(rows.lines[row], "the label " + shown(label) + " is not a number");
    target = cell.number;
  }
  for (std::size_t i = rows.begin_of(row); i < rows.ends[row]; ++i) {
    if (std::isnan(rows.values[i]))
      window.fail(rows.lines[row],
                  "the value of index " + std::to_string(rows.indices[i]) + " is missing");
    to.keys.push_back(feature_key(std::uint64_t{rows.indices[i]}));
    to.values.push_back(static_cast<float>(rows.values[i]));
  }
  to.ends.push_back(to.keys.size());
  to.lines.push_back(rows.lines[row]);
  to.targets.push_back(target);
}

}  // namespace

struct FeatureFile::State {
  std::optional<LibsvmReader> libsvm;
  std::optional<hashed::VwReader> vw;

  State(std::unique_ptr<ByteSource> source, const std::string& name, FeatureFile::Format format) {
    const std::string first = peek(source);
    expect_text(first, name);
    const bool is_vw = format == FeatureFile::Format::automatic ? hashed::looks_like_vw(first)
                                                                : format == FeatureFile::Format::vw;
    if (is_vw)
      vw.emplace(TextWindow(std::move(source), name, kMostBytesPerRow));
    else
      libsvm.emplace(std::move(source), name, std::numeric_limits<std::uint32_t>::max(),
                     kMostBytesPerRow);
  }

  void read(FeatureRows& to, std::size_t most) {
    if (vw) {
      while (to.size() < most && vw->read(to)) {
      }
      return;
    }
    LibsvmText rows;
    while (to.size() < most) {
      rows.indices.clear();
      rows.values.clear();
      rows.ends.clear();
      rows.lines.clear();
      rows.labels = {};
      while (rows.rows() < std::min(most - to.size(), kRowsAtOnce) && libsvm->read(rows)) {
      }
      if (rows.rows() == 0) return;
      for (std::size_t row = 0; row < rows.rows(); ++row) add_row(rows, row, libsvm->window(), to);
    }
  }
};

FeatureFile::FeatureFile(const std::string& path, FeatureFile::Format format)
    : state_(std::make_unique<State>(open_bytes(path), path, format)) {}
FeatureFile::FeatureFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
FeatureFile FeatureFile::of_text(std::string text, const std::string& name,
                                 FeatureFile::Format format) {
  return FeatureFile(std::make_unique<State>(memory_bytes(std::move(text), name), name, format));
}
FeatureFile::~FeatureFile() = default;
FeatureFile::FeatureFile(FeatureFile&&) noexcept = default;

bool FeatureFile::read(FeatureRows& rows, std::size_t most) {
  rows.clear();
  state_->read(rows, most);
  const bool has_targets = std::any_of(rows.targets.begin(), rows.targets.end(),
                                       [](double target) { return !std::isnan(target); });
  if (!has_targets) rows.targets.clear();
  return rows.size() > 0;
}

}  // namespace postrider::sparse
