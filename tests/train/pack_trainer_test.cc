// Networks side by side against the same networks one by one.
#include "train/pack_trainer.h"

#include <gtest/gtest.h>

#include "train/side_by_side.h"

namespace postrider::network {
using namespace internal;
namespace {

std::vector<PackCase> cases(Precision precision) {
  std::vector<PackCase> out;
  const auto add = [&](const char* name, const std::function<void(PackCase&)>& change) {
    out.push_back(plain_case(precision));
    out.back().name = name;
    change(out.back());
  };
  const auto outputs = [precision](PackCase& c, std::size_t count) {
    c.network = small_network(precision, {6, 4}, count);
  };
  add("plain", [](PackCase&) {});
  add("groups", [](PackCase& c) { c.options.group_size = 5; });
  add("direct", [](PackCase& c) { c.network.rule = graph::Rule::direct; });
  add("direct, groups", [](PackCase& c) {
    c.network.rule = graph::Rule::direct;
    c.options.group_size = 4;
  });
  // A block of four asks for 128 rows before it.
  add("blocks", [](PackCase& c) {
    c.options.group_size = 8;
    c.options.block = 4;
    c.data = [](std::size_t number) { return plane(150, 2, number); };
  });
  add("power, no noise learned", [](PackCase& c) {
    c.task.power = 1.5;
    c.options.learn_noise = false;
    c.options.noise_variance = {0.2, 0.3};
  });
  add("activation prior, no bias", [](PackCase& c) {
    c.network.layers[0].activation_prior_variance = 4;
    c.network.layers[1].bias = false;
  });
  add("weights", [](PackCase& c) {
    c.data = [](std::size_t number) {
      JobData data = plane(50, 2, number);
      for (std::size_t i = 0; i < 50; ++i) data.weights.push_back(i % 3 == 0 ? 0.5 : 1.2);
      return data;
    };
    c.options.group_size = 3;
  });
  add("missing values", [](PackCase& c) {
    c.data = [](std::size_t number) {
      JobData data = plane(50, 2, number);
      for (std::size_t i = 0; i < data.x.size(); i += 7) data.x[i] = kMissing;
      for (std::size_t i = 3; i < data.y.size(); i += 6) data.y[i] = kMissing;
      return data;
    };
  });
  add("some rows", [](PackCase& c) {
    c.data = [](std::size_t number) {
      JobData data = plane(50, 2, number);
      for (std::uint32_t i = 0; i < 50; ++i)
        if (i % 4 == 1)
          data.y[2 * i] = data.y[2 * i + 1] = kMissing;
        else
          data.learned.push_back(i);
      return data;
    };
  });
  add("an order for every epoch", [](PackCase& c) {
    c.options.shuffle = TrainerOptions::Shuffle::every_epoch;
    c.options.group_size = 3;
  });
  add("rows of their own", [](PackCase& c) {
    c.own_data = true;
    c.data = [](std::size_t number) {
      JobData data = plane(50 - 2 * number, 2, number);
      if (number % 3 == 1) data.weights.assign(50 - 2 * number, 0.7);
      if (number % 5 == 2) data.x[3] = kMissing;
      return data;
    };
  });
  add("groups of their own", [](PackCase& c) {
    c.own_data = true;
    c.options.group_size = 4;
    c.data = [](std::size_t number) { return plane(50 - 2 * number, 2, number); };
  });
  add("varying noise", [&](PackCase& c) {
    c.task.likelihood = Likelihood::varying_noise;
    c.options.constant_noise_epochs = 2;
    c.data = [](std::size_t number) { return plane(50, 1, number); };
  });
  for (const std::size_t classes : {2U, 5U})
    add(classes == 2 ? "two classes" : "five classes", [&](PackCase& c) {
      outputs(c, classes == 2 ? 1 : classes);
      c.task.likelihood = Likelihood::classes;
      c.own_data = classes == 5;
      c.data = [classes](std::size_t number) {
        JobData data = sectors(50 - number, classes, number);
        data.y[8] = kMissing;
        return data;
      };
    });
  return out;
}

enum class Events { compared, ignored };

void expect_near(const Trained& found, const Trained& alone, double tolerance, Events events) {
  expect_close(found.beliefs, alone.beliefs, tolerance);
  ASSERT_EQ(found.noise.size(), alone.noise.size());
  for (std::size_t i = 0; i < alone.noise.size(); ++i)
    EXPECT_NEAR(found.noise[i] / alone.noise[i], 1, tolerance);
  EXPECT_EQ(found.seen, alone.seen);
  EXPECT_EQ(found.report.reason, alone.report.reason);
  EXPECT_EQ(found.report.best_epoch, alone.report.best_epoch);
  ASSERT_EQ(found.report.epochs.size(), alone.report.epochs.size());
  for (std::size_t i = 0; i < alone.report.epochs.size(); ++i) {
    const EpochReport &a = found.report.epochs[i], &b = alone.report.epochs[i];
    EXPECT_EQ(a.epoch, b.epoch);
    EXPECT_NEAR(a.score, b.score, tolerance);
    EXPECT_NEAR(a.typical_noise_variance / b.typical_noise_variance, 1, tolerance);
    EXPECT_LT(a.drift, tolerance);
    if (events == Events::ignored) continue;
    EXPECT_EQ(a.best_epoch, b.best_epoch);
    EXPECT_EQ(a.linearised, b.linearised);
    EXPECT_EQ(a.silent, b.silent);
    EXPECT_EQ(a.guarded, b.guarded);
    EXPECT_EQ(a.bounded, b.bounded);
  }
}

// Sums in another order: ten epochs of some ten thousand messages, each off by a unit of rounding, which
// what follows makes no more than a thousand times larger.
constexpr double kDouble = 1e4 * 1e3 * std::numeric_limits<double>::epsilon();
// Two epochs of some thousand.
constexpr double kFloat = 1e3 * 30 * std::numeric_limits<float>::epsilon();

TEST(PackTrainer, EachNetworkLearnsAsItDoesAlone) {
  for (const PackCase& of : cases(Precision::float64)) {
    SCOPED_TRACE(of.name);
    const std::vector<Trained> packed = trained_in_pack(of, numbers_below(16));
    ASSERT_EQ(packed.size(), 16U);
    for (std::size_t m = 0; m < 16; ++m) {
      SCOPED_TRACE(m);
      expect_near(packed[m], trained_alone(of, m), kDouble, Events::compared);
    }
  }
}

TEST(PackTrainer, FloatsAreThoseOfOneNetworkWithinRounding) {
  for (PackCase& of : cases(Precision::float32)) {
    SCOPED_TRACE(of.name);
    of.options.max_epochs = 2;
    const std::vector<Trained> packed = trained_in_pack(of, numbers_below(5));
    for (std::size_t m = 0; m < 5; ++m) {
      SCOPED_TRACE(m);
      expect_near(packed[m], trained_alone(of, m), kFloat, Events::ignored);
    }
  }
}

// Others in other lanes, or none.
TEST(PackTrainer, ANetworkIsTheSameToTheBitWhateverTheOthersAre) {
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (PackCase& of : cases(precision)) {
      SCOPED_TRACE(of.name);
      of.options.damping = of.name == "groups" || of.name == "varying noise" ? 0.3 : 0;
      const std::vector<Trained> all = trained_in_pack(of, numbers_below(16));
      const std::vector<Trained> two = trained_in_pack(of, {9, 3});
      expect_same_bits(two[0], all[9]);
      expect_same_bits(two[1], all[3]);
      EXPECT_NE(all[9].beliefs, all[3].beliefs);
    }
}

// With rows in common inputs are read once for all; a network that has rows of its own, with inputs that
// are missing, makes no difference to the others.
TEST(PackTrainer, RowsInCommonAreReadAsRowsOfOnesOwn) {
  const PackCase same = plain_case(Precision::float32);
  PackCase other = same;
  other.data = [](std::size_t) {
    JobData data = plane(40, 2, 3);
    data.x[2] = kMissing;
    return data;
  };
  Jobs in_common(same, {0, 1}), mixed(same, {0, 1}), odd(other, {2});
  mixed.all.push_back(odd.all.front());
  const std::vector<Trained> expected = in_common.fit_in_pack(same.options);
  const std::vector<TrainingOutcome> found = fit_pack(mixed.all, same.options, {});
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(beliefs_of(mixed.all[m].network), expected[m].beliefs);
    EXPECT_EQ(found[m].noise_variance, expected[m].noise);
  }
}

TEST(PackTrainer, AMappedStoreAndThreadsChangeNothing) {
  PackCase of = plain_case(Precision::float32);
  const std::vector<Trained> expected = trained_in_pack(of, numbers_below(3));
  of.options.store = TrainerOptions::Store::mapped_file;
  of.options.store_path = testing::TempDir() + "/pack_trainer_store";
  of.options.threads = 3;
  const std::vector<Trained> found = trained_in_pack(of, numbers_below(3));
  for (std::size_t m = 0; m < 3; ++m) expect_same_bits(found[m], expected[m]);
}

// One weight w of y = w x + noise: what a row says of it is exactly N(y/x, noise/x^2), raised to the power,
// whatever is believed. With damping d the message stored is d times the old one and 1 - d times that, and
// a row is predicted without all that its group had said.
TEST(PackTrainer, DampedNetworksPredictWithoutAllTheirGroupSaid) {
  constexpr double kNoise = 0.2, kDamping = 0.6, kPower = 2.5, kClose = 1e-12;
  constexpr std::size_t kRows = 7, kEpochs = 4;
  for (const std::size_t group_size : {1U, 3U}) {
    PackCase of = plain_case();
    of.network = NetworkOptions::dense(1, {}, 1);
    of.network.precision = Precision::float64;
    of.network.layers[0].bias = false;
    of.task.power = kPower;
    of.options.damping = kDamping;
    of.options.learn_noise = false;
    of.options.noise_variance = {kNoise};
    of.options.max_epochs = kEpochs;
    of.options.group_size = group_size;
    of.options.shuffle = TrainerOptions::Shuffle::none;
    of.data = [](std::size_t) {
      JobData out;
      RandomStream random(5, 0);
      for (std::size_t i = 0; i < kRows; ++i) {
        out.x.push_back(random.uniform(0.5, 2));
        out.y.push_back(0.7 * out.x.back() + random.normal());
      }
      return out;
    };
    const JobData data = of.data(0);
    Jobs jobs(of, numbers_below(3));
    const std::vector<Trained> found = jobs.fit_in_pack(of.options);
    for (std::size_t m = 0; m < 3; ++m) {
      double tau = jobs.all[m].network.prior(0).tau(), rho = jobs.all[m].network.prior(0).rho();
      std::vector<double> stored_tau(kRows), stored_rho(kRows);
      for (std::size_t epoch = 0; epoch < kEpochs; ++epoch) {
        double score = 0;
        for (std::size_t first = 0; first < kRows; first += group_size) {
          const std::size_t group = first / group_size;
          const double tau_before = tau - stored_tau[group], rho_before = rho - stored_rho[group];
          double said_tau = 0, said_rho = 0;
          for (std::size_t i = first; i < std::min(first + group_size, kRows); ++i) {
            const double x = data.x[i], variance = x * x / rho_before + kNoise;
            const double gap = data.y[i] - x * tau_before / rho_before;
            score -= 0.5 * (std::log(2 * M_PI * variance) + gap * gap / variance) / kRows;
            said_tau += kPower * x * data.y[i] / kNoise;
            said_rho += kPower * x * x / kNoise;
          }
          stored_tau[group] = kDamping * stored_tau[group] + (1 - kDamping) * said_tau;
          stored_rho[group] = kDamping * stored_rho[group] + (1 - kDamping) * said_rho;
          tau = tau_before + stored_tau[group];
          rho = rho_before + stored_rho[group];
        }
        EXPECT_NEAR(found[m].report.epochs[epoch].score, score, kClose);
      }
      EXPECT_NEAR(found[m].beliefs[0].tau() / tau, 1, kClose);
      EXPECT_NEAR(found[m].beliefs[0].rho() / rho, 1, kClose);
    }
  }
}

// Now and then, since it reads all messages; until then the last difference is told.
TEST(PackTrainer, RunningSumsAreRebuilt) {
  for (const Trained& each : trained_in_pack(plain_case(Precision::float32), numbers_below(3))) {
    const std::vector<EpochReport>& epochs = each.report.epochs;
    EXPECT_EQ(epochs[6].drift, 0);
    EXPECT_GT(epochs[7].drift, 0);
    // Eight epochs of fifty messages taken out and put back.
    EXPECT_LT(epochs[7].drift, 8 * 50 * 2 * std::numeric_limits<float>::epsilon());
    EXPECT_EQ(epochs[8].drift, epochs[7].drift);
  }
}

TEST(PackTrainer, SomeOptionsAreNotForPacks) {
  EXPECT_TRUE(can_be_packed({}));
  EXPECT_FALSE(can_be_packed({.stopping = TrainerOptions::Stopping::paper}));
  EXPECT_FALSE(can_be_packed({.parallel_groups = 2}));
  EXPECT_TRUE(can_be_packed({.stopping = TrainerOptions::Stopping::epochs}));
}

}  // namespace
}  // namespace postrider::network
