// Runs a function on vectors, on one lane and on plain numbers. Included once per target.
#include <string>
#include <utility>
#include <vector>

#include "math/lane-inl.h"
#include "math/lane_cases.h"

#if defined(POSTRIDER_TESTS_MATH_LANE_CASE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_TESTS_MATH_LANE_CASE_INL_H_
#undef POSTRIDER_TESTS_MATH_LANE_CASE_INL_H_
#else
#define POSTRIDER_TESTS_MATH_LANE_CASE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// f of every argument with lanes of tag D. The last vector is filled up with the last argument.
template <class D, class T, class F>
std::vector<T> values_on(std::vector<T> arguments, F f) {
  const size_t size = arguments.size(), lanes = hn::Lanes(D());
  arguments.resize((size + lanes - 1) / lanes * lanes, arguments.empty() ? T(0) : arguments.back());
  std::vector<T> values(arguments.size());
  for (size_t i = 0; i < size; i += lanes) f(Lane<D>::load(&arguments[i])).store(&values[i]);
  values.resize(size);
  return values;
}

template <class T, class F>
LaneValues<T> values_of(const std::vector<T>& arguments, F f) {
  LaneValues<T> values{values_on<hn::ScalableTag<T>>(arguments, f),
                       values_on<hn::CappedTag<T, 1>>(arguments, f),
                       {}};
  for (const T argument : arguments) values.scalar.push_back(f(argument));
  return values;
}

// `f` is a generic lambda over lanes.
template <class T, class F>
LaneCase<T> lane_case(std::string name, F f, reference::Big (*expected)(double), double lowest,
                      std::vector<double> branch_points) {
  return {std::move(name),
          [f](const std::vector<T>& arguments) { return values_of<T>(arguments, f); }, expected,
          lowest, std::move(branch_points)};
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_TESTS_MATH_LANE_CASE_INL_H_
