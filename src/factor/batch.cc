#include "factor/batch.h"

#include <array>

#include "base/check.h"
#include "postrider/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/batch.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "factor/list-inl.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

constexpr size_t kMaxEdges = kMostEdgesOfBatch;

// The messages of rows [row, row + lanes of D), from all edges to one.
template <class D, class F, class T>
HWY_INLINE void send_rows(const F& factor, size_t edge, Rule rule, const Batch<T>& batch,
                          size_t row) {
  using L = Lane<D>;
  std::array<Message<L>, kMaxEdges> in;
  for (size_t k = 0; k < batch.incoming.size(); ++k)
    in[k] = {L::load(&batch.incoming[k].tau[row]), L::load(&batch.incoming[k].rho[row])};
  const Sent<L> out = factor.send(edge, rule, in.data());
  out.message.tau.store(&batch.outgoing.tau[row]);
  out.message.rho.store(&batch.outgoing.rho[row]);
  if (!batch.log_scale.empty()) out.log_scale.store(&batch.log_scale[row]);
  if (!batch.event.empty()) out.event.store(&batch.event[row]);
}

template <class Whole, class One, class F, class T>
void send_all(const F& factor, size_t edge, Rule rule, const Batch<T>& batch, Width width) {
  const size_t rows = batch.outgoing.tau.size();
  const size_t lanes = hn::Lanes(Whole());
  size_t row = 0;
  if (width == Width::vector)
    for (; row + lanes <= rows; row += lanes) send_rows<Whole>(factor, edge, rule, batch, row);
  for (; row < rows; ++row) send_rows<One>(factor, edge, rule, batch, row);
}

template <class Whole, class One, class T>
bool send_named(std::string_view name, const std::vector<Parameter>& parameters, size_t edge,
                Rule rule, const Batch<T>& batch, Width width) {
  return with_factor(name, parameters, [&](const auto& factor) {
    send_all<Whole, One>(factor, edge, rule, batch, width);
  });
}

bool send_floats(std::string_view name, const std::vector<Parameter>& parameters, size_t edge,
                 Rule rule, const Batch<float>& batch, Width width) {
  return send_named<hn::ScalableTag<float>, hn::CappedTag<float, 1>>(name, parameters, edge, rule,
                                                                     batch, width);
}

bool send_doubles(std::string_view name, const std::vector<Parameter>& parameters, size_t edge,
                  Rule rule, const Batch<double>& batch, Width width) {
  // Messages of graphs: the same bits as those of one row, on every level.
  return send_named<Unfused<hn::ScalableTag<double>>, Unfused<hn::CappedTag<double, 1>>>(
      name, parameters, edge, rule, batch, width);
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::internal {
namespace {

HWY_EXPORT(send_floats);
HWY_EXPORT(send_doubles);

auto kernel(SimdLevel level, float) { return dispatched(HWY_DISPATCH_TABLE(send_floats), level); }
auto kernel(SimdLevel level, double) { return dispatched(HWY_DISPATCH_TABLE(send_doubles), level); }

template <class T>
void validate(const FactorInfo& info, const Batch<T>& batch) {
  check(info.edges.size() <= HWY_NAMESPACE::kMaxEdges, "a batch takes factors of few edges");
  if (batch.incoming.size() != info.edges.size())
    reject("batch.incoming", batch.incoming.size(), "must hold one array per edge");
  const std::size_t rows = batch.outgoing.tau.size();
  const auto expect = [&](std::string_view field, std::size_t size) {
    if (size != rows) reject(field, size, "must be as long as batch.outgoing.tau");
  };
  expect("batch.outgoing.rho", batch.outgoing.rho.size());
  for (const MessageArray<const T>& edge : batch.incoming) {
    expect("batch.incoming.tau", edge.tau.size());
    expect("batch.incoming.rho", edge.rho.size());
  }
  if (!batch.log_scale.empty()) expect("batch.log_scale", batch.log_scale.size());
  if (!batch.event.empty()) expect("batch.event", batch.event.size());
}

}  // namespace

void send_rows_together(std::string_view factor, const std::vector<Parameter>& parameters,
                        std::size_t edge, Rule rule, const Batch<double>& batch) {
  kernel(SimdLevel::best(), 0.0)(factor, parameters, edge, rule, batch, Width::vector);
}

template <class T>
void send_many(std::string_view factor, const std::vector<Parameter>& parameters, std::size_t edge,
               Rule rule, const Batch<T>& batch, SimdLevel level, Width width) {
  const std::unique_ptr<Factor> described = graph::make_factor(factor, parameters);
  described->info().find(edge, rule);
  validate(described->info(), batch);
  kernel(level, T())(factor, parameters, edge, rule, batch, width);
}

template void send_many(std::string_view, const std::vector<Parameter>&, std::size_t, Rule,
                        const Batch<float>&, SimdLevel, Width);
template void send_many(std::string_view, const std::vector<Parameter>&, std::size_t, Rule,
                        const Batch<double>&, SimdLevel, Width);

}  // namespace postrider::internal
#endif  // HWY_ONCE
