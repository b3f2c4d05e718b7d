#include "sweep/pack/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "base/random.h"
#include "sweep/engine.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// How a group is learned; the default is the plainest.
struct Setting {
  std::string name;
  std::vector<SweepLayer> layers;
  graph::Rule rule = graph::Rule::conditioned;
  std::size_t group_size = 1;
  std::size_t block = 1;
  double damping = 0;
  double power = 1;
  bool uncertain_inputs = false;
  bool own_rows = false;  // each network has data and an order of its own
  bool observed = false;
};

std::vector<SweepLayer> dense(const std::vector<std::size_t>& widths, double slope,
                              bool bias = true, double activation_precision = 0) {
  std::vector<SweepLayer> out;
  for (std::size_t l = 1; l < widths.size(); ++l)
    out.push_back({widths[l - 1], widths[l], bias, l + 1 < widths.size() ? slope : 1.0,
                   activation_precision});
  return out;
}

std::vector<Setting> settings() {
  const auto small = dense({7, 6, 5, 2}, 0.1);
  const auto of = [&](const char* name, auto&& change) {
    Setting out{name, small};
    change(out);
    return out;
  };
  return {
      of("plain", [](Setting&) {}),
      of("no bias",
         [](Setting& s) {
           s.layers = dense({8, 6, 5, 1}, 0.4, false);
         }),
      of("one layer",
         [](Setting& s) {
           s.layers = dense({5, 3}, 1);
         }),
      of("linear layers",
         [](Setting& s) {
           s.layers = dense({5, 4, 3}, 1);
         }),
      of("activation prior",
         [](Setting& s) {
           s.layers = dense({4, 9, 3, 2}, 0.2, true, 0.5);
         }),
      of("direct", [](Setting& s) { s.rule = graph::Rule::direct; }),
      of("direct, groups", [](Setting& s) { s.rule = graph::Rule::direct, s.group_size = 4; }),
      of("groups", [](Setting& s) { s.group_size = 5; }),
      of("blocks of 2", [](Setting& s) { s.group_size = 7, s.block = 2; }),
      of("blocks of 4", [](Setting& s) { s.group_size = 7, s.block = 4; }),
      of("blocks of 8", [](Setting& s) { s.group_size = 11, s.block = 8; }),
      of("power", [](Setting& s) { s.power = 1.7; }),
      of("damping", [](Setting& s) { s.damping = 0.4, s.power = 1.5; }),
      of("damped groups", [](Setting& s) { s.damping = 0.4, s.group_size = 3; }),
      of("uncertain inputs", [](Setting& s) { s.uncertain_inputs = true; }),
      of("own rows", [](Setting& s) { s.own_rows = true; }),
      of("own rows in groups", [](Setting& s) { s.own_rows = true, s.group_size = 4; }),
      of("observed", [](Setting& s) { s.observed = true; }),
      of("observed, activation prior",
         [](Setting& s) {
           s.observed = true;
           s.layers = dense({4, 5, 2}, 0.2, true, 0.5);
         }),
  };
}

// Noise that depends on the target and the output, so that mixed up lanes show.
template <class T>
class OddObservation : public Observation<T> {
 public:
  std::size_t targets_per_row() const override { return 1; }
  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back, SweepRecord&) override {
    const bool missing = std::isnan(row.targets[0]);
    for (std::size_t k = 0; k < row.mean.size(); ++k) {
      const T noise = row.noise_variance[0] * (1 + row.targets[0] * row.targets[0]);
      back.shift[k] = missing ? T{0} : row.targets[0] - row.mean[k];
      back.least[k] = missing ? static_cast<T>(kVague) : noise;
      back.spread[k] = missing ? static_cast<T>(kVague) : noise + row.variance[k];
    }
    return {missing ? kNan : static_cast<double>(row.targets[0] - row.mean[0]), 2};
  }
};

constexpr std::size_t kRows = 24;

// One network and its data.
template <class T>
struct Lane {
  std::vector<T> tau, rho;  // of the prior, in the order of the weights
  StoredInputs<T> inputs;
  std::vector<T> targets, noise;
  std::vector<std::uint32_t> order;
  double power, damping;
};

template <class T>
Lane<T> make_lane(const Setting& s, std::size_t number) {
  RandomStream own(3, number), data(5, s.own_rows ? number : 0);
  Lane<T> out;
  for (const SweepLayer& layer : s.layers)
    for (std::size_t k = 0; k < layer.weights(); ++k) {
      const double scale = 1.0 / static_cast<double>(layer.fan_in());
      out.rho.push_back(static_cast<T>(2 / scale));
      out.tau.push_back(static_cast<T>(std::sqrt(scale) * own.normal()) * out.rho.back());
    }
  const std::size_t targets = s.observed ? 1 : s.layers.back().units;
  for (std::size_t n = 0; n < kRows; ++n) {
    for (std::size_t j = 0; j < s.layers.front().inputs; ++j) {
      const T mean = data.uniform() < 0.25 ? T{0} : static_cast<T>(data.normal());
      out.inputs.add(j, mean, s.uncertain_inputs ? static_cast<T>(data.uniform()) : T{0});
    }
    out.inputs.end_row();
    for (std::size_t o = 0; o < targets; ++o)
      out.targets.push_back(data.uniform() < 0.1 ? static_cast<T>(kNan)
                                                 : static_cast<T>(data.normal()));
  }
  for (std::size_t o = 0; o < s.layers.back().units; ++o)
    out.noise.push_back(static_cast<T>(0.05 + 0.1 * own.uniform()));
  // With rows of their own, the last networks have fewer of them.
  const std::size_t rows = s.own_rows ? kRows - number : kRows;
  for (std::size_t n = 0; n < rows; ++n)
    out.order.push_back(static_cast<std::uint32_t>(s.own_rows ? (n * 5 + number) % kRows : n));
  out.power = s.power + (s.own_rows ? 0.01 * static_cast<double>(number) : 0);
  // Networks with all of it and less are side by side, with none only where groups have one row.
  const double share = static_cast<double>(number % 3) / 2;
  out.damping = s.damping * (s.group_size == 1 ? share : 1 - share / 2);
  return out;
}

template <class T>
struct Learned {
  std::vector<T> tau, rho, mean, variance;
  std::vector<Observed> observed;
  double linearised = 0, silent = 0;
};

std::size_t groups_of(std::size_t rows, std::size_t size) { return (rows + size - 1) / size; }

constexpr std::size_t kEpochs = 3;

// By the engine for one network, as a trainer would call it.
template <class T>
Learned<T> learned_alone(const Setting& s, const Lane<T>& lane) {
  const SweepEngine<T> engine(s.layers, s.rule);
  const std::vector<std::size_t> positions = engine.layout().positions(s.layers);
  WeightMessages<T> belief = engine.beliefs(), prior = belief;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    belief.tau[positions[k]] = lane.tau[k];
    belief.rho[positions[k]] = lane.rho[k];
  }
  prior.rho.assign(prior.size(), T{0});
  const std::size_t groups = groups_of(lane.order.size(), s.group_size);
  std::vector<WeightMessages<T>> store(groups, WeightMessages<T>(belief.size()));
  Learned<T> out;
  out.mean.resize(kRows * s.layers.back().units);
  out.variance.resize(out.mean.size());
  out.observed.resize(kRows);
  Workspace<T> workspace(s.layers);
  SweepRecord record;
  OddObservation<T> observation;
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch)
    for (std::size_t g = 0; g < groups; ++g) {
      WeightMessages<T> renewed = store[g];
      for (auto* part : {&renewed.tau, &renewed.rho})
        for (T& value : *part) value *= static_cast<T>(1 - lane.damping);
      const std::size_t first = g * s.group_size;
      const auto rows =
          std::span(lane.order).subspan(first, std::min(s.group_size, lane.order.size() - first));
      const ExamplesView<T> examples{lane.inputs.view(), lane.targets, s.layers.back().units};
      std::vector<T> mean = out.mean, variance = out.variance;
      if (lane.damping > 0) {
        WeightMessages<T> without = belief;
        for (std::size_t i = 0; i < belief.size(); ++i) {
          without.tau[i] -= store[g].tau[i];
          without.rho[i] -= store[g].rho[i];
        }
        engine.predict(without, examples, rows, {out.mean, out.variance}, workspace);
      }
      WeightMessages<T> cavity = renewed;
      engine.take_out(belief, prior, cavity.tau, cavity.rho);
      engine.learn(
          belief, examples, rows,
          {lane.noise, s.block, static_cast<T>(lane.power), s.observed ? &observation : nullptr},
          lane.damping > 0 ? Predictions<T>{mean, variance, {}}
                           : Predictions<T>{out.mean, out.variance, out.observed},
          workspace, record);
      for (std::size_t i = 0; i < belief.size(); ++i) {
        store[g].tau[i] += belief.tau[i] - cavity.tau[i] - renewed.tau[i];
        store[g].rho[i] += belief.rho[i] - cavity.rho[i] - renewed.rho[i];
      }
    }
  for (const std::size_t position : positions) {
    out.tau.push_back(belief.tau[position]);
    out.rho.push_back(belief.rho[position]);
  }
  out.linearised = static_cast<double>(record.linearised);
  out.silent = static_cast<double>(record.silent);
  return out;
}

// A stored message of these rows, kPack numbers for each step: of the first layer for the inputs that are not zero in
// all of them, with the bias, of the others for all.
template <class T>
WeightMessages<T> empty_message(const Setting& s, const std::vector<Lane<T>>& lanes,
                                const std::vector<std::uint32_t>& rows) {
  const SweepLayer& first = s.layers.front();
  std::set<std::size_t> inputs;
  if (first.bias) inputs.insert(first.inputs);
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (rows[at] != kNoRow)
      for (const std::uint32_t column : lanes[at % kPack].inputs.row(rows[at]).columns)
        inputs.insert(column);
  std::size_t weights = first.units * inputs.size();
  for (std::size_t l = 1; l < s.layers.size(); ++l) weights += s.layers[l].weights();
  return WeightMessages<T>(weights * kPack);
}

// Side by side; networks that `is_there` leaves out have other numbers in their lanes.
template <class T, class IsThere>
std::vector<Learned<T>> learned_in_pack(const Setting& s, IsThere&& is_there,
                                        SimdLevel level = SimdLevel::best()) {
  const PackEngine<T> engine(s.layers, s.rule, level);
  PackBeliefs<T> beliefs(engine.weights());
  std::vector<Lane<T>> lanes;
  for (std::size_t m = 0; m < kPack; ++m)
    lanes.push_back(make_lane<T>(s, is_there(m) ? m : kPack - 1));
  PackData<T> data;
  std::vector<Learned<T>> out(kPack);
  std::vector<T> noise, damping;
  std::size_t most = 0;
  for (std::size_t m = 0; m < kPack; ++m) {
    const Lane<T>& lane = lanes[m];
    out[m].mean.resize(kRows * s.layers.back().units);
    out[m].variance.resize(out[m].mean.size());
    out[m].observed.resize(kRows);
    data.examples[m] = {lane.inputs.view(), lane.targets, s.layers.back().units};
    data.predictions[m] = {out[m].mean, out[m].variance, out[m].observed};
    for (std::size_t k = 0; k < engine.weights(); ++k) {
      beliefs.belief.tau[k * kPack + m] = lane.tau[k];
      beliefs.belief.rho[k * kPack + m] = lane.rho[k];
      beliefs.least[k] = T{0};
    }
    most = std::max(most, lane.order.size());
    damping.push_back(static_cast<T>(lane.damping));
  }
  if (std::ranges::all_of(damping, [](T each) { return each == 0; })) damping.clear();
  for (std::size_t o = 0; o < s.layers.back().units; ++o)
    for (std::size_t m = 0; m < kPack; ++m) noise.push_back(lanes[m].noise[o]);
  const std::size_t groups = groups_of(most, s.group_size);
  std::vector<WeightMessages<T>> store(groups);
  PackWorkspace<T> workspace(s.layers);
  OddObservation<T> observation;
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch)
    for (std::size_t g = 0; g < groups; ++g) {
      std::vector<std::uint32_t> rows;
      std::vector<T> powers;
      for (std::size_t step = g * s.group_size; step < std::min(most, (g + 1) * s.group_size);
           ++step)
        for (const Lane<T>& lane : lanes) {
          rows.push_back(step < lane.order.size() ? lane.order[step] : kNoRow);
          powers.push_back(static_cast<T>(lane.power));
        }
      if (epoch == 0) store[g] = empty_message(s, lanes, rows);
      engine.refresh(beliefs, store[g].tau, store[g].rho, data, {rows, powers, !s.own_rows},
                     {noise, s.block, damping, s.observed ? &observation : nullptr}, workspace);
    }
  for (std::size_t m = 0; m < kPack; ++m) {
    for (std::size_t k = 0; k < engine.weights(); ++k) {
      out[m].tau.push_back(beliefs.belief.tau[k * kPack + m]);
      out[m].rho.push_back(beliefs.belief.rho[k * kPack + m]);
    }
    out[m].linearised = static_cast<double>(workspace.counts.linearised[m]);
    out[m].silent = static_cast<double>(workspace.counts.silent[m]);
  }
  return out;
}

constexpr auto kAll = [](std::size_t) { return true; };

template <class T>
void expect_near(const Learned<T>& got, const Learned<T>& expected, double tolerance) {
  for (std::size_t k = 0; k < expected.tau.size(); ++k) {
    const double rho = static_cast<double>(expected.rho[k]);
    const double scale = std::max(std::abs(static_cast<double>(expected.tau[k])), std::sqrt(rho));
    ASSERT_NEAR(got.rho[k] / expected.rho[k], 1, tolerance) << "precision of weight " << k;
    ASSERT_NEAR(got.tau[k], expected.tau[k], tolerance * scale) << "tau of weight " << k;
  }
  for (std::size_t i = 0; i < expected.mean.size(); ++i) {
    ASSERT_NEAR(got.mean[i], expected.mean[i], tolerance) << "prediction " << i;
    ASSERT_NEAR(got.variance[i], expected.variance[i], tolerance) << "variance " << i;
  }
  for (std::size_t i = 0; i < expected.observed.size(); ++i) {
    const double log_likelihood = expected.observed[i].log_likelihood;
    ASSERT_EQ(std::isnan(got.observed[i].log_likelihood), std::isnan(log_likelihood));
    if (!std::isnan(log_likelihood)) {
      ASSERT_NEAR(got.observed[i].log_likelihood, log_likelihood, tolerance);
    }
    ASSERT_EQ(got.observed[i].noise_slope, expected.observed[i].noise_slope);
  }
}

TEST(PackEngine, EachNetworkLearnsAsItDoesAlone) {
  for (const Setting& s : settings()) {
    SCOPED_TRACE(s.name);
    for (const SimdLevel level : SimdLevel::available()) {
      SCOPED_TRACE(level.name());
      const auto packed = learned_in_pack<double>(s, kAll, level);
      for (std::size_t m = 0; m < kPack; ++m) {
        SCOPED_TRACE(m);
        expect_near(packed[m], learned_alone(s, make_lane<double>(s, m)), 1e-9);
      }
    }
  }
}

TEST(PackEngine, FloatsAreThoseOfOneNetworkWithinRounding) {
  for (const Setting& s : settings()) {
    SCOPED_TRACE(s.name);
    for (const SimdLevel level : SimdLevel::available()) {
      SCOPED_TRACE(level.name());
      const auto packed = learned_in_pack<float>(s, kAll, level);
      for (std::size_t m = 0; m < kPack; m += 5) {
        SCOPED_TRACE(m);
        expect_near(packed[m], learned_alone(s, make_lane<float>(s, m)), 5e-3);
      }
    }
  }
}

TEST(PackEngine, EventsAreCountedForEachNetwork) {
  for (const Setting& s : settings()) {
    if (s.own_rows) continue;  // steps without a row are silent, too
    SCOPED_TRACE(s.name);
    const auto packed = learned_in_pack<double>(s, kAll);
    for (std::size_t m = 0; m < kPack; ++m) {
      const Learned<double> alone = learned_alone(s, make_lane<double>(s, m));
      EXPECT_EQ(packed[m].linearised, alone.linearised);
      EXPECT_EQ(packed[m].silent, alone.silent);
    }
  }
}

TEST(PackEngine, ANetworkIsTheSameToTheBitWhateverTheOthersAre) {
  for (const Setting& s : settings()) {
    SCOPED_TRACE(s.name);
    for (const SimdLevel level : SimdLevel::available()) {
      const auto all = learned_in_pack<float>(s, kAll, level);
      const auto some = learned_in_pack<float>(
          s, [](std::size_t m) { return m == 2 || m == 13; }, level);
      for (const std::size_t m : {2, 13}) {
        EXPECT_EQ(all[m].tau, some[m].tau);
        EXPECT_EQ(all[m].rho, some[m].rho);
        EXPECT_EQ(all[m].mean, some[m].mean);
      }
    }
  }
}

TEST(PackEngine, PredictsAllNetworksAtOnce) {
  const Setting s{"plain", dense({7, 6, 5, 2}, 0.1)};
  const PackEngine<double> engine(s.layers, s.rule);
  const SweepEngine<double> single(s.layers, s.rule);
  const std::vector<std::size_t> positions = single.layout().positions(s.layers);
  PackBeliefs<double> beliefs(engine.weights());
  std::vector<Lane<double>> lanes;
  PackData<double> data;
  std::vector<std::vector<double>> mean(kPack, std::vector<double>(2 * kRows)), variance = mean;
  for (std::size_t m = 0; m < kPack; ++m) {
    lanes.push_back(make_lane<double>(s, m));
    for (std::size_t k = 0; k < engine.weights(); ++k) {
      beliefs.belief.tau[k * kPack + m] = lanes[m].tau[k];
      beliefs.belief.rho[k * kPack + m] = lanes[m].rho[k];
    }
  }
  for (std::size_t m = 0; m < kPack; ++m) {
    data.examples[m] = {lanes[0].inputs.view(), {}, 2};
    data.predictions[m] = {mean[m], variance[m]};
  }
  const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22};
  PackWorkspace<double> workspace(s.layers);
  engine.predict(beliefs, data, rows, workspace);
  for (std::size_t m = 0; m < kPack; ++m) {
    WeightMessages<double> belief = single.beliefs();
    for (std::size_t k = 0; k < positions.size(); ++k) {
      belief.tau[positions[k]] = lanes[m].tau[k];
      belief.rho[positions[k]] = lanes[m].rho[k];
    }
    std::vector<double> own_mean(2 * kRows), own_variance(2 * kRows);
    Workspace<double> own(s.layers);
    single.predict(belief, {lanes[0].inputs.view(), {}, 2}, rows, {own_mean, own_variance}, own);
    for (std::size_t i = 0; i < own_mean.size(); ++i) {
      EXPECT_NEAR(mean[m][i], own_mean[i], 1e-12);
      EXPECT_NEAR(variance[m][i], own_variance[i], 1e-12);
    }
  }
}

}  // namespace
}  // namespace postrider::network
