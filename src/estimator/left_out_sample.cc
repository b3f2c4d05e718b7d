#include "estimator/left_out_sample.h"

#include <algorithm>
#include <utility>

namespace postrider::internal {
namespace {

constexpr std::size_t kMostSampled = 512;
// Fewer tell too little; and numbers that a model holds in memory for this.
constexpr std::size_t kFewestKept = 64;
constexpr std::size_t kMostKeptNumbers = std::size_t{1} << 20;

std::vector<std::size_t> evenly(const std::vector<bool>& is_left_out, std::size_t most) {
  std::vector<std::size_t> all, out;
  for (std::size_t row = 0; row < is_left_out.size(); ++row)
    if (is_left_out[row]) all.push_back(row);
  const std::size_t count = std::min(most, all.size());
  for (std::size_t k = 0; k < count; ++k) out.push_back(all[k * all.size() / count]);
  return out;
}

LeftOutSample::OfMember of_member(std::span<const std::uint32_t> fold,
                                  const std::vector<std::size_t>& chosen,
                                  const network::Network::OutputMoments& said,
                                  std::size_t outputs) {
  LeftOutSample::OfMember out;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto found = std::ranges::lower_bound(fold, static_cast<std::uint32_t>(chosen[k]));
    if (found == fold.end() || *found != chosen[k]) continue;
    out.rows.push_back(static_cast<std::uint32_t>(k));
    const auto place = outputs * static_cast<std::size_t>(found - fold.begin());
    for (std::size_t o = 0; o < outputs; ++o) {
      out.outputs.mean.push_back(said.mean[place + o]);
      out.outputs.variance.push_back(said.variance[place + o]);
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const LeftOutSample> left_out_sample(const Examples& rows,
                                                     const LeftOutPredictions& left_out,
                                                     std::size_t outputs) {
  const std::size_t most =
      std::min(kMostSampled, kMostKeptNumbers / std::max<std::size_t>(1, rows.columns()));
  if (most < kFewestKept) return nullptr;
  const auto fold_of = [&](std::size_t member) {
    return left_out.of_members[member].mean.empty()
               ? std::span<const std::uint32_t>()
               : left_out.folds.left_out_by(left_out.numbers[member]);
  };
  std::vector<bool> is_left_out(rows.count());
  for (std::size_t m = 0; m < left_out.of_members.size(); ++m)
    for (const std::uint32_t row : fold_of(m)) is_left_out[row] = true;
  const std::vector<std::size_t> chosen = evenly(is_left_out, most);
  if (chosen.empty()) return nullptr;
  LeftOutSample out;
  out.columns = rows.columns();
  out.targets_of_row = rows.targets.size() / rows.count();
  out.inputs.resize(chosen.size() * out.columns);
  const OwnedInputs some(rows.inputs, chosen);
  Inputs(some).for_each([&](std::size_t row, std::size_t column, double number) {
    out.inputs[row * out.columns + column] = number;
  });
  for (const std::size_t row : chosen)
    for (std::size_t o = 0; o < out.targets_of_row; ++o)
      out.targets.push_back(rows.targets[row * out.targets_of_row + o]);
  for (std::size_t m = 0; m < left_out.of_members.size(); ++m)
    out.of_members.push_back(of_member(fold_of(m), chosen, left_out.of_members[m], outputs));
  return std::make_shared<const LeftOutSample>(std::move(out));
}

}  // namespace postrider::internal
