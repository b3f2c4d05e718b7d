#include "distributed/grid.h"

#include <cmath>

#include "message/whole_units.h"

namespace postrider::internal {
namespace {

constexpr double kLargest = WholeUnits::kLargest;

// Vectors that hold a float and the double made of it come with AVX2; the results are the same without.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define POSTRIDER_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define POSTRIDER_CLONES
#endif

// Rounds tau or rho. Whether all are small enough. Arrays do not overlap, and nothing is summed up in the type of the
// numbers: the loop becomes vectors.
template <class T>
POSTRIDER_CLONES bool round_part(std::size_t count, const double* __restrict unit,
                                 const double* __restrict per_unit, const T* __restrict before,
                                 T* __restrict message, T* __restrict belief,
                                 double* __restrict change) {
  std::int64_t off = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double units = static_cast<double>(message[k]) * per_unit[k];
    const double rounded = WholeUnits::rounded(units);
    off |= std::abs(units) < kLargest ? 0 : 1;
    change[k] += rounded - static_cast<double>(before[k]) * per_unit[k];
    const T on_grid = static_cast<T>(rounded * unit[k]);
    belief[k] += on_grid - message[k];
    message[k] = on_grid;
  }
  return off == 0;
}

}  // namespace

template <class T>
Grid<T>::Grid(const WeightMessages<T>& prior) : prior_(prior) {
  const std::size_t count = prior.size();
  unit_.resize(2 * count);
  per_unit_.resize(2 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const WholeUnits units = WholeUnits::of_prior(static_cast<double>(prior.rho[k]));
    unit_[k] = units.tau;
    unit_[count + k] = units.rho;
  }
  for (std::size_t k = 0; k < unit_.size(); ++k) per_unit_[k] = 1 / unit_[k];
}

template <class T>
std::size_t Grid<T>::round(const TouchedWeights& touched, std::span<T> tau, std::span<T> rho,
                           std::span<const T> tau_before, std::span<const T> rho_before,
                           WeightMessages<T>& belief, std::span<double> change) const {
  const std::size_t all = weights();
  bool fits = true;
  touched.for_each_run([&](std::size_t at, std::size_t m, std::size_t count) {
    fits &= round_part(count, &unit_[at], &per_unit_[at], &tau_before[m], &tau[m], &belief.tau[at],
                       &change[at]);
    fits &= round_part(count, &unit_[all + at], &per_unit_[all + at], &rho_before[m], &rho[m],
                       &belief.rho[at], &change[all + at]);
  });
  if (fits) return kNone;
  const auto is_off = [](double units) { return !(std::abs(units) < kLargest); };
  std::size_t first = kNone;
  touched.for_each_run([&](std::size_t at, std::size_t m, std::size_t count) {
    for (std::size_t k = 0; k < count && first == kNone; ++k)
      if (is_off(static_cast<double>(tau[m + k]) * per_unit_[at + k]) ||
          is_off(static_cast<double>(rho[m + k]) * per_unit_[all + at + k]))
        first = at + k;
  });
  return first == kNone ? 0 : first;
}

template <class T>
void Grid<T>::belief(const UnitSums& sums, WeightMessages<T>& out) const {
  const std::size_t count = weights();
  if (out.size() != count) out = prior_;
  for (std::size_t k = 0; k < count; ++k) {
    out.tau[k] = static_cast<T>(static_cast<double>(prior_.tau[k]) +
                                static_cast<double>(sums[k]) * unit_[k]);
    out.rho[k] = static_cast<T>(static_cast<double>(prior_.rho[k]) +
                                static_cast<double>(sums[count + k]) * unit_[count + k]);
  }
}

template <class T>
void Grid<T>::add(const TouchedWeights& touched, std::span<const T> tau, std::span<const T> rho,
                  UnitSums& to) const {
  const std::size_t all = weights();
  touched.for_each_run([&](std::size_t at, std::size_t m, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto units = [&](T value, std::size_t place) {
        return static_cast<std::int64_t>(static_cast<double>(value) * per_unit_[place]);
      };
      to[at + k] += units(tau[m + k], at + k);
      to[all + at + k] += units(rho[m + k], all + at + k);
    }
  });
}

template class Grid<float>;
template class Grid<double>;

}  // namespace postrider::internal
