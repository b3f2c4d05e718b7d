// Whole passes: examples in, forward through all layers, and back.
#include <algorithm>

#include "sweep/block-inl.h"
#include "sweep/examples-inl.h"
#include "sweep/flush.h"
#include "sweep/kernels.h"
#include "sweep/messages-inl.h"
#include "sweep/units-inl.h"
#include "sweep/weights-inl.h"

#if defined(POSTRIDER_SWEEP_PASS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_PASS_INL_H_
#undef POSTRIDER_SWEEP_PASS_INL_H_
#else
#define POSTRIDER_SWEEP_PASS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
Weights<T> weights_of(const SweepCall<T>& call, size_t layer) {
  const LayerLayout& layout = call.layouts[layer];
  return {call.tau + layout.offset, call.rho + layout.offset, layout};
}

// Copies inputs into the first layer, whose other inputs stay zero, and lists them.
template <class T>
void load_inputs(const SweepCall<T>& call, std::span<const uint32_t> rows) {
  const LayerWork<T>& work = call.work.front();
  const SweepLayer& layer = call.layers.front();
  for (const uint32_t j : call.active.columns())
    for (size_t e = 0; j < layer.inputs && e < call.active.examples(); ++e)
      for (T* const array : {work.x_mean, work.x_variance, work.x_square})
        array[e * work.x_stride + j] = 0;
  call.active.begin(rows.size());
  for (size_t e = 0; e < rows.size(); ++e) {
    const InputRow<T> row = call.examples.inputs.row(rows[e]);
    for (size_t k = 0; k < row.columns.size(); ++k) {
      const size_t at = e * work.x_stride + row.columns[k];
      work.x_mean[at] = row.means[k];
      work.x_variance[at] = row.variance(k);
      work.x_square[at] = row.means[k] * row.means[k] + row.variance(k);
    }
    call.active.add(row.columns);
  }
  if (layer.bias) call.active.add_last(layer.inputs);
}

// Rows of a layer whose lanes run across units.
template <class T>
std::span<const uint32_t> rows_of(const SweepCall<T>& call, size_t layer) {
  if (layer == 0) return call.active.columns();
  return call.all_rows.first(call.layouts[layer].rows);
}

// The passes over a large layer are split into parts that no number depends on: sums over inputs by
// units, answers to inputs by inputs. A part should take many times what it takes to hand it out.
inline constexpr size_t kEdgesPerPart = size_t{1} << 17;  // times examples
inline constexpr size_t kLeastColumns = 64;               // of a row, for long enough streams
inline constexpr size_t kPartsPerThread = 4;              // threads are not equally fast

// Calls run with parts of [0, count), which begin at multiples of `step`.
template <class Run>
void in_parts(Workers* workers, size_t edges, size_t count, size_t step, Run&& run) {
  size_t parts = workers == nullptr ? 1 : edges / kEdgesPerPart;
  if (parts > 1) parts = std::min({parts, count / step, kPartsPerThread * workers->threads()});
  if (parts <= 1 || workers->threads() == 1) return run(Range{0, count});
  const auto bound = [&](size_t part) {
    return part == parts ? count : count / step * part / parts * step;
  };
  workers->run(parts, [&](size_t part) {
    const FlushTinyNumbers flush;
    run(Range{bound(part), bound(part + 1)});
  });
}

template <class T>
void forward_layer(const SweepCall<T>& call, size_t l, size_t examples,
                   std::span<const uint32_t> rows) {
  const Weights<T> weights = weights_of(call, l);
  const LayerLayout& layout = weights.layout;
  const LayerWork<T>& work = call.work[l];
  const bool known = l == 0 && call.examples.inputs.variances.empty();
  if (layout.units_across) {
    const auto run = [&](Range columns) HWY_ATTR {
      known ? forward_units_across<true>(weights, work, rows, examples, columns)
            : forward_units_across<false>(weights, work, rows, examples, columns);
    };
    return in_parts(call.workers, rows.size() * layout.stride * examples, layout.stride,
                    kLeastColumns, run);
  }
  const auto run = [&]<size_t kExamples>(std::integral_constant<size_t, kExamples>) HWY_ATTR {
    const auto of_rows = [&](Range range) HWY_ATTR {
      known ? forward_inputs_across<true, kExamples>(weights, work, range)
            : forward_inputs_across<false, kExamples>(weights, work, range);
    };
    in_parts(call.workers, layout.size() * examples, layout.rows, 1, of_rows);
  };
  with_block(examples, run);
}

template <class T>
void forward(const SweepCall<T>& call, std::span<const uint32_t> examples) {
  load_inputs(call, examples);
  for (size_t l = 0; l < call.layers.size(); ++l) {
    forward_layer(call, l, examples.size(), rows_of(call, l));
    if (call.layers[l].activation_precision > 0)
      multiply_activation_prior(call.layers[l], call.work[l], examples.size());
    if (l + 1 < call.layers.size())
      forward_units(call.layers[l], call.work[l], call.work[l + 1], call.layers[l + 1].bias,
                    examples.size());
  }
  const LayerWork<T>& last = call.work.back();
  const size_t outputs = call.layers.back().units;
  for (size_t e = 0; e < examples.size(); ++e) {
    const size_t to = examples[e] * outputs;
    for (size_t o = 0; o < outputs; ++o) {
      call.predictions.mean[to + o] = last.front_mean[e * last.s_stride + o];
      call.predictions.variance[to + o] = last.front_variance[e * last.s_stride + o];
    }
  }
}

template <class R, InputKind kInputs, size_t kExamples, class T>
void backward_rows(Weights<T> weights, const LayerWork<T>& work, std::span<const uint32_t> rows,
                   T power) {
  if constexpr (kExamples == kLargestBlock && std::same_as<T, float>)
    backward_block<kInputs, kExamples>(weights, work, rows, power);
  else
    backward_units_across<R, kInputs, kExamples>(weights, work, rows, power);
}

template <class R, size_t kExamples, class T>
void backward_layer(const SweepCall<T>& call, size_t l, T power, std::span<const uint32_t> rows) {
  const Weights<T> weights = weights_of(call, l);
  const LayerLayout& layout = weights.layout;
  const LayerWork<T>& work = call.work[l];
  const auto run = [&]<InputKind kInputs>(std::integral_constant<InputKind, kInputs>) HWY_ATTR {
    const auto by_rows = [&](Range range) HWY_ATTR {
      backward_rows<R, kInputs, kExamples>(
          weights, work, rows.subspan(range.first, range.end - range.first), power);
    };
    const auto by_columns = [&](Range range) HWY_ATTR {
      backward_inputs_across<R, kInputs, kExamples>(weights, work, power, range);
    };
    if (layout.units_across)
      in_parts(call.workers, rows.size() * layout.stride * kExamples, rows.size(), 1, by_rows);
    else
      in_parts(call.workers, layout.size() * kExamples, layout.stride, kLeastColumns, by_columns);
  };
  if (l > 0) return run(std::integral_constant<InputKind, InputKind::hidden>());
  run(std::integral_constant<InputKind, InputKind::given>());
}

template <class R, size_t kExamples, class T>
void backward(const SweepCall<T>& call, const SweepOptions<T>& options, SweepRecord& record) {
  for (size_t l = call.layers.size(); l-- > 0;) {
    backward_layer<R, kExamples>(call, l, options.power, rows_of(call, l));
    if (l > 0)
      backward_units(call.layers[l - 1], call.work[l - 1], call.work[l], call.rule, kExamples,
                     record);
  }
}

template <class T>
void observe_block(const SweepCall<T>& call, const SweepOptions<T>& options,
                   std::span<const uint32_t> examples, SweepRecord& record) {
  const size_t targets = options.observation->targets_per_row();
  for (size_t e = 0; e < examples.size(); ++e) {
    const Observed observed = backward_observed(
        call.layers.back(), call.work.back(), e,
        call.examples.targets.subspan(examples[e] * targets, targets), options, record);
    if (!call.predictions.observed.empty()) call.predictions.observed[examples[e]] = observed;
  }
}

template <class T>
void learn_block(const SweepCall<T>& call, const SweepOptions<T>& options,
                 std::span<const uint32_t> examples, SweepRecord& record) {
  forward(call, examples);
  if (options.observation != nullptr) {
    observe_block(call, options, examples, record);
  } else {
    const size_t outputs = call.layers.back().units;
    for (size_t e = 0; e < examples.size(); ++e)
      backward_outputs(call.layers.back(), call.work.back(), e,
                       &call.examples.targets[examples[e] * outputs],
                       options.noise_variance.data());
  }
  if (call.rule == Rule::direct) return backward<Direct, 1>(call, options, record);
  with_block(examples.size(),
             [&]<size_t kExamples>(std::integral_constant<size_t, kExamples>)
                 HWY_ATTR { backward<Conditioned, kExamples>(call, options, record); });
}

template <class T>
void learn_rows(const SweepCall<T>& call, const SweepOptions<T>& options, SweepRecord& record) {
  for_each_block(call.rows.size(), options.block, [&](size_t first, size_t size) HWY_ATTR {
    learn_block(call, options, call.rows.subspan(first, size), record);
  });
  record.examples += call.rows.size();
}

template <class T>
void predict_rows(const SweepCall<T>& call) {
  for_each_block(call.rows.size(), kLargestBlock, [&](size_t first, size_t size) HWY_ATTR {
    forward(call, call.rows.subspan(first, size));
  });
}

template <class T>
SweepKernels<T> kernels_of_target() {
  return {learn_rows<T>, predict_rows<T>, take_out_some<T>, difference_of_some<T>, add_some<T>};
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_PASS_INL_H_
