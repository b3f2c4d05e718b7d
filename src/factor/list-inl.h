// All factors of the library. Adding one here is what makes it a factor: the scalar interface, the
// batch kernels, the certifier and the tests go through this list.
#include "factor/cubic-inl.h"
#include "factor/gaussian_likelihood-inl.h"
#include "factor/gaussian_prior-inl.h"
#include "factor/greater_than-inl.h"
#include "factor/leaky_relu-inl.h"
#include "factor/linear-inl.h"
#include "factor/log_normal_copy-inl.h"
#include "factor/maximum-inl.h"
#include "factor/probit-inl.h"
#include "factor/product-inl.h"

#if defined(POSTRIDER_FACTOR_LIST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_LIST_INL_H_
#undef POSTRIDER_FACTOR_LIST_INL_H_
#else
#define POSTRIDER_FACTOR_LIST_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class... Factors>
struct FactorList {
  // Calls visit(std::type_identity<F>()) for each factor until one returns true.
  template <class Visit>
  static bool any(Visit&& visit) {
    return (visit(std::type_identity<Factors>()) || ...);
  }
};

using AllFactors = FactorList<GaussianPrior, GaussianLikelihood, Linear, Product, LeakyRelu,
                              LogNormalCopy, Probit, GreaterThan, Maximum, Cubic>;

// Calls use(factor) with the factor of that name and these parameters; false if there is none.
template <class Use>
bool with_factor(std::string_view name, std::vector<Parameter> parameters, Use&& use) {
  return AllFactors::any([&]<class F>(std::type_identity<F>) {
    if (F::kName != name) return false;
    ParameterReader reader(name, parameters);
    const F factor = F::from(reader);
    reader.finish();
    use(factor);
    return true;
  });
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_LIST_INL_H_
