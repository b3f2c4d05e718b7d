// Whole passes of a pack: a row for each network in, forward through all layers, and back.
#include <algorithm>

#include "base/check.h"
#include "sweep/examples-inl.h"
#include "sweep/pack/units-inl.h"
#include "sweep/pack/weights-inl.h"

#if defined(POSTRIDER_SWEEP_PACK_PACK_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_PACK_PACK_SWEEP_INL_H_
#undef POSTRIDER_SWEEP_PACK_PACK_SWEEP_INL_H_
#else
#define POSTRIDER_SWEEP_PACK_PACK_SWEEP_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
PackWeights<T> pack_weights_of(const PackCall<T>& call, size_t layer) {
  size_t first = 0;
  for (size_t l = 0; l < layer; ++l) first += call.layers[l].weights();
  const size_t offset = first * kPack;
  const SweepLayer& below = call.layers.front();
  const size_t left_out = below.units * (below.fan_in() - call.stored_inputs) * kPack;
  const size_t in_message = layer == 0 ? 0 : offset - left_out;
  const bool stored = call.stored_tau != nullptr;
  return {call.tau + offset,
          call.rho + offset,
          stored ? call.stored_tau + in_message : nullptr,
          stored ? call.stored_rho + in_message : nullptr,
          stored ? call.next_tau + in_message : nullptr,
          stored ? call.next_rho + in_message : nullptr,
          call.least + first,
          call.layers[layer].fan_in(),
          call.layers[layer].units,
          call.damping,
          call.workspace.counts.bounded.data()};
}

// --- rows in -------------------------------------------------------------------------------------------

// Zeros in the place of what the last examples had there.
template <class T>
void clear_inputs(const PackCall<T>& call, size_t examples) {
  using L = EdgeLane<T>;
  const LayerWork<T>& work = call.workspace.layers().front();
  ActiveColumns& active = call.workspace.active();
  for (const uint32_t j : active.columns())
    for (size_t e = 0; j < call.layers.front().inputs && e < active.examples(); ++e)
      for (size_t lane = 0; lane < kPack; lane += edge_lanes<T>())
        for (T* const array : {work.x_mean, work.x_variance, work.x_square})
          L(0).store(array + e * work.x_stride + j * kPack + lane);
  active.begin(examples);
}

// One row for all networks.
template <class T>
void load_shared_row(const PackCall<T>& call, size_t e, uint32_t number) {
  using L = EdgeLane<T>;
  const LayerWork<T>& work = call.workspace.layers().front();
  const InputRow<T> row = call.data.examples.front().inputs.row(number);
  for (size_t k = 0; k < row.columns.size(); ++k) {
    const T mean = row.means[k], variance = row.variance(k);
    for (size_t lane = 0; lane < kPack; lane += edge_lanes<T>()) {
      const size_t at = e * work.x_stride + row.columns[k] * kPack + lane;
      L::all(mean).store(work.x_mean + at);
      L::all(variance).store(work.x_variance + at);
      L::all(mean * mean + variance).store(work.x_square + at);
    }
  }
  call.workspace.active().add(row.columns);
}

template <class T>
void load_own_rows(const PackCall<T>& call, size_t e, std::span<const uint32_t> rows) {
  const LayerWork<T>& work = call.workspace.layers().front();
  for (size_t network = 0; network < kPack; ++network) {
    if (rows[network] == kNoRow) continue;
    const InputRow<T> row = call.data.examples[network].inputs.row(rows[network]);
    for (size_t k = 0; k < row.columns.size(); ++k) {
      const size_t at = e * work.x_stride + row.columns[k] * kPack + network;
      work.x_mean[at] = row.means[k];
      work.x_variance[at] = row.variance(k);
      work.x_square[at] = row.means[k] * row.means[k] + row.variance(k);
    }
    call.workspace.active().add(row.columns);
  }
}

template <class T>
void end_loading(const PackCall<T>& call) {
  const SweepLayer& layer = call.layers.front();
  if (layer.bias) call.workspace.active().add_last(layer.inputs);
}

// The stored message must be about the inputs that are swept.
template <class T>
void expect_stored(const PackCall<T>& call, std::span<const uint32_t> inputs) {
  check(inputs.size() == call.stored_inputs, "a stored message is about the inputs of its rows",
        {{"inputs", static_cast<double>(inputs.size())},
         {"stored", static_cast<double>(call.stored_inputs)}});
}

// Inputs of a group that are not zero for all of its rows: whose weights its message is about.
template <class T>
ActiveColumns active_of_group(const PackCall<T>& call, const PackGroup<T>& group) {
  ActiveColumns out;
  for (size_t step = 0; step < group.steps(); ++step)
    for (size_t network = 0; network < (group.rows_are_shared ? 1 : kPack); ++network) {
      const uint32_t row = group.rows[step * kPack + network];
      if (row != kNoRow) out.add(call.data.examples[network].inputs.row(row).columns);
    }
  if (call.layers.front().bias) out.add_last(call.layers.front().inputs);
  return out;
}

template <class T>
bool inputs_are_known(const PackCall<T>& call) {
  return std::ranges::all_of(call.data.examples, [](const ExamplesView<T>& each) {
    return each.inputs.variances.empty();
  });
}

template <class T>
std::span<const uint32_t> pack_rows_of(const PackCall<T>& call, size_t layer) {
  if (layer == 0) return call.workspace.active().columns();
  return call.workspace.all_rows().first(call.layers[layer].fan_in());
}

// --- forwards and back ---------------------------------------------------------------------------------

template <Group kGroup, size_t kExamples, class T>
void forward_pack(const PackCall<T>& call) {
  const std::vector<LayerWork<T>>& work = call.workspace.layers();
  const bool known = inputs_are_known(call);
  for (size_t l = 0; l < call.layers.size(); ++l) {
    const PackWeights<T> weights = pack_weights_of(call, l);
    if (l == 0 && known)
      forward_pack<kGroup, true, kExamples>(weights, work[l], pack_rows_of(call, l));
    else
      forward_pack<kGroup, false, kExamples>(weights, work[l], pack_rows_of(call, l));
    if (call.layers[l].activation_precision > 0)
      multiply_activation_prior(call.layers[l], work[l], kExamples);
    if (l + 1 < call.layers.size())
      forward_pack_activations(call.layers[l], work[l], work[l + 1], kExamples);
  }
}

template <class T>
void keep_predictions(const PackCall<T>& call, size_t e, std::span<const uint32_t> rows) {
  const LayerWork<T>& last = call.workspace.layers().back();
  const size_t outputs = call.layers.back().units;
  for (size_t network = 0; network < kPack; ++network) {
    if (rows[network] == kNoRow || call.data.predictions[network].mean.empty()) continue;
    const Predictions<T>& to = call.data.predictions[network];
    for (size_t o = 0; o < outputs; ++o) {
      const size_t from = e * last.s_stride + o * kPack + network;
      to.mean[rows[network] * outputs + o] = last.front_mean[from];
      to.variance[rows[network] * outputs + o] = last.front_variance[from];
    }
  }
}

template <class R, Group kGroup, size_t kExamples, class T>
void backward_pack(const PackCall<T>& call) {
  const std::vector<LayerWork<T>>& work = call.workspace.layers();
  const T* const powers = call.workspace.powers();
  for (size_t l = call.layers.size(); l-- > 0;) {
    const PackWeights<T> weights = pack_weights_of(call, l);
    const std::span<const uint32_t> rows = pack_rows_of(call, l);
    if (l == 0) {
      backward_pack<R, InputKind::given, kGroup, kExamples>(weights, work[l], powers, rows);
      return;
    }
    backward_pack<R, InputKind::hidden, kGroup, kExamples>(weights, work[l], powers, rows);
    backward_pack_activations(call.layers[l - 1], work[l - 1], work[l], call.rule, kExamples,
                              call.workspace.counts);
  }
}

template <size_t kExamples, class T>
void load_steps(const PackCall<T>& call, const PackGroup<T>& group, size_t first) {
  clear_inputs(call, kExamples);
  for (size_t e = 0; e < kExamples; ++e) {
    if (group.rows_are_shared)
      load_shared_row(call, e, group.rows_at(first + e).front());
    else
      load_own_rows(call, e, group.rows_at(first + e));
    std::ranges::copy(group.powers.subspan((first + e) * kPack, kPack),
                      call.workspace.powers() + e * kPack);
  }
  end_loading(call);
}

// With damping, beliefs keep a share of what the group said: its rows are then predicted without all of
// it before they are learned.
template <Group kGroup, size_t kExamples, class T>
void judge_steps(const PackCall<T>& call, const PackGroup<T>& group,
                 const PackLearnOptions<T>& options, size_t first) {
  load_steps<kExamples>(call, group, first);
  if constexpr (kGroup == Group::left_out) expect_stored(call, call.workspace.active().columns());
  forward_pack<kGroup, kExamples>(call);
  for (size_t e = 0; e < kExamples; ++e) {
    keep_predictions(call, e, group.rows_at(first + e));
    backward_pack_outputs(call, options, e, group.rows_at(first + e), Observing::to_predict);
  }
}

template <Group kGroup, size_t kExamples, class T>
void predict_steps(const PackCall<T>& call, const PackGroup<T>& group,
                   const PackLearnOptions<T>& options, size_t first) {
  judge_steps<kGroup, kExamples>(call, group, options, first);
  for (size_t e = 0; e < kExamples; ++e) keep_left_out(call, options, e, first + e);
}

// Calls run with the first step of one block after another and its size as a constant.
template <class Run>
HWY_INLINE void in_blocks(size_t steps, size_t block, Run&& run) {
  for_each_block(steps, block, [&](size_t first, size_t size) HWY_ATTR {
    with_block(size, [&]<size_t kExamples>(std::integral_constant<size_t, kExamples> count)
                         HWY_ATTR { run(first, count); });
  });
}

template <Group kGroup, size_t kExamples, class T>
void learn_steps(const PackCall<T>& call, const PackGroup<T>& group,
                 const PackLearnOptions<T>& options, size_t first) {
  load_steps<kExamples>(call, group, first);
  if constexpr (kGroup == Group::of_one) expect_stored(call, call.workspace.active().columns());
  forward_pack<kGroup, kExamples>(call);
  const bool is_predicted = !options.damping.empty() && options.predicts;
  for (size_t e = 0; e < kExamples; ++e) {
    if (!is_predicted) keep_predictions(call, e, group.rows_at(first + e));
    backward_pack_outputs(call, options, e, group.rows_at(first + e),
                          is_predicted ? Observing::to_learn : Observing::for_both);
    if (is_predicted) use_left_out(call, options, e, first + e);
  }
  if constexpr (kExamples == 1)
    if (call.rule == Rule::direct) return backward_pack<Direct, kGroup, 1>(call);
  backward_pack<Conditioned, kGroup, kExamples>(call);
}

template <class T>
void refresh_one_row(const PackCall<T>& call, const PackGroup<T>& group,
                     const PackLearnOptions<T>& options) {
  if (!options.damping.empty() && options.predicts)
    predict_steps<Group::left_out, 1>(call, group, options, 0);
  learn_steps<Group::of_one, 1>(call, group, options, 0);
}

template <class T>
void refresh_pack(const PackCall<T>& call, const PackGroup<T>& group,
                  const PackLearnOptions<T>& options) {
  if (group.steps() == 1) return refresh_one_row(call, group, options);
  const ActiveColumns active = active_of_group(call, group);
  expect_stored(call, active.columns());
  const auto for_all_weights = [&](auto&& run) HWY_ATTR {
    for (size_t l = 0; l < call.layers.size(); ++l)
      run(pack_weights_of(call, l), l == 0 ? active.columns() : pack_rows_of(call, l));
  };
  for_all_weights([](const PackWeights<T>& weights, std::span<const uint32_t> rows)
                      HWY_ATTR { take_out_group(weights, rows); });
  if (!options.damping.empty() && options.predicts) {
    // The beliefs without all of the group now lie in its message's place.
    PackCall<T> without = call;
    size_t weights = 0;
    for (const SweepLayer& layer : call.layers) weights += layer.weights();
    WeightMessages<T>& beliefs = call.workspace.without(weights * kPack);
    without.tau = beliefs.tau.data();
    without.rho = beliefs.rho.data();
    size_t first = 0;
    for_all_weights([&](const PackWeights<T>& of_layer, std::span<const uint32_t> rows) HWY_ATTR {
      spread_message(of_layer, rows, without.tau + first, without.rho + first);
      first += of_layer.units * of_layer.fan_in * kPack;
    });
    in_blocks(group.steps(), kLargestBlock,
              [&]<size_t kExamples>(size_t step, std::integral_constant<size_t, kExamples>)
                  HWY_ATTR {
                    predict_steps<Group::of_several, kExamples>(without, group, options, step);
                  });
  }
  in_blocks(group.steps(), options.block,
            [&]<size_t kExamples>(size_t step, std::integral_constant<size_t, kExamples>) HWY_ATTR {
              learn_steps<Group::of_several, kExamples>(call, group, options, step);
            });
  for_all_weights([](const PackWeights<T>& weights, std::span<const uint32_t> rows)
                      HWY_ATTR { store_group(weights, rows); });
}

// Rows that nothing is stored of, one after another; predicted by other beliefs, if there are any.
template <class T>
void learn_pack(const PackCall<T>& call, const PackCall<T>* ahead, const PackGroup<T>& group,
                const PackLearnOptions<T>& options) {
  for (size_t step = 0; step < group.steps(); ++step) {
    if (ahead != nullptr) predict_steps<Group::of_several, 1>(*ahead, group, options, step);
    learn_steps<Group::of_several, 1>(call, group, options, step);
  }
}

template <class T>
void judge_pack(const PackCall<T>& call, const PackGroup<T>& group,
                const PackLearnOptions<T>& options) {
  in_blocks(group.steps(), kLargestBlock,
            [&]<size_t kExamples>(size_t step, std::integral_constant<size_t, kExamples>) HWY_ATTR {
              judge_steps<Group::of_several, kExamples>(call, group, options, step);
            });
}

template <size_t kExamples, class T>
void predict_rows(const PackCall<T>& call, std::span<const uint32_t> rows) {
  clear_inputs(call, kExamples);
  for (size_t e = 0; e < kExamples; ++e) load_shared_row(call, e, rows[e]);
  end_loading(call);
  forward_pack<Group::of_several, kExamples>(call);
  for (size_t e = 0; e < kExamples; ++e) {
    std::array<uint32_t, kPack> same;
    same.fill(rows[e]);
    keep_predictions(call, e, std::span<const uint32_t>(same));
  }
}

template <class T>
void predict_pack(const PackCall<T>& call, std::span<const uint32_t> rows) {
  in_blocks(rows.size(), kLargestBlock,
            [&]<size_t kExamples>(size_t first, std::integral_constant<size_t, kExamples>)
                HWY_ATTR { predict_rows<kExamples>(call, rows.subspan(first, kExamples)); });
}

template <class T>
PackKernels<T> pack_kernels_of_target() {
  return {refresh_pack<T>, learn_pack<T>, judge_pack<T>, predict_pack<T>};
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_PACK_PACK_SWEEP_INL_H_
