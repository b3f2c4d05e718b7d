#include "projected_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "paper/projected_product.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "paper/projected_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

using experiments::MomentArrays;
using experiments::ProductMessages;
using experiments::SiteArrays;

template <class L>
HWY_INLINE Moments<L> load(const MomentArrays& from, size_t row) {
  return {L::load(&from.mean[row]), L::load(&from.variance[row])};
}

template <class L>
HWY_INLINE void store(const Message<L>& message, SiteArrays& to, size_t row) {
  message.tau.store(&to.tau[row]);
  message.rho.store(&to.rho[row]);
}

template <class D>
HWY_INLINE void project_rows(ProductMessages& products, size_t row) {
  using L = Lane<D>;
  const ProductIn<L> in{load<L>(products.x, row), load<L>(products.y, row),
                        load<L>(products.z, row)};
  L unresolved;
  const ProductSlopes<L> found = product_slopes(in, unresolved);
  store(site(found.x, in.x), products.to_x, row);
  store(site(found.y, in.y), products.to_y, row);
  store(site(found.z, in.z), products.to_z, row);
  unresolved.store(&products.unresolved[row]);
}

void project_all(ProductMessages& products) {
  using Whole = hn::ScalableTag<double>;
  using One = hn::CappedTag<double, 1>;
  const size_t rows = products.unresolved.size(), lanes = hn::Lanes(Whole());
  size_t row = 0;
  for (; row + lanes <= rows; row += lanes) project_rows<Whole>(products, row);
  for (; row < rows; ++row) project_rows<One>(products, row);
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
using namespace internal;
namespace {

HWY_EXPORT(project_all);

}  // namespace

namespace experiments {

void ProductMessages::resize(std::size_t count) {
  for (MomentArrays* in : {&x, &y, &z}) in->resize(count);
  for (SiteArrays* out : {&to_x, &to_y, &to_z}) out->resize(count);
  unresolved.resize(count);
}

void project(ProductMessages& products, SimdLevel level) {
  dispatched(HWY_DISPATCH_TABLE(project_all), level)(products);
}

}  // namespace experiments
}  // namespace postrider
#endif  // HWY_ONCE
