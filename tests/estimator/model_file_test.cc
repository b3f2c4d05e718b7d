#include "estimator/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "data/safetensors.h"
#include "estimator/sine.h"
#include "files.h"
#include "postrider/model_file.h"
#include "postrider/regressor.h"
#include "sealed.h"

namespace postrider {
using namespace internal;
namespace {

class ModelFileTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  const std::string path = folder.file("model");
  const Sine sine = noisy_sine(80, 1);

  Regressor fitted(const EstimatorOptions& options) {
    Regressor out(options);
    out.fit(sine.x, sine.y);
    return out;
  }
  // The file with this text in place of that one, of the same length so that nothing moves.
  void replace(std::string bytes, const std::string& text, const std::string& by) {
    const std::size_t at = bytes.find(text);
    ASSERT_NE(at, std::string::npos) << text;
    ASSERT_EQ(text.size(), by.size());
    for (std::size_t each = at; each != std::string::npos; each = bytes.find(text, each))
      bytes.replace(each, text.size(), by);
    write_bytes(path, resealed(bytes));
  }
  std::string refusal() {
    const std::string out = trouble([&] { Regressor::load(path); });
    EXPECT_NE(out.find(path), std::string::npos) << out;
    return out;
  }
};

TEST_F(ModelFileTest, LoadedModelsPredictTheSameBits) {
  for (const network::Precision precision :
       {network::Precision::float32, network::Precision::float64})
    for (const network::Activation activation :
         {network::Activation::leaky_relu, network::Activation::relu})
      for (const auto& hidden : {std::vector<std::size_t>{}, {7}, {3, 18}}) {
        EstimatorOptions options{.hidden = hidden,
                                 .weights_per_example = 0,
                                 .activation = activation,
                                 .slope = 0.1,
                                 .precision = precision,
                                 .training = {.max_epochs = 3, .seed = 5}};
        Regressor saved = fitted(options);
        saved.save(path);
        EXPECT_EQ(folder.files(), 1U);
        Regressor loaded = Regressor::load(path);
        EXPECT_EQ(loaded.options().hidden, hidden);
        EXPECT_EQ(loaded.options().precision, precision);
        EXPECT_EQ(loaded.options().training.seed, 5U);
        EXPECT_EQ(loaded.inputs(), 1U);
        const auto expect_same = [&] {
          const Forecast expected = saved.predict(sine.x), found = loaded.predict(sine.x);
          EXPECT_EQ(found.mean, expected.mean);
          EXPECT_EQ(found.variance, expected.variance);
          EXPECT_EQ(found.noise_variance, expected.noise_variance);
        };
        expect_same();
        for (std::size_t i = 0; i < saved.network().weight_count(); ++i)
          EXPECT_EQ(loaded.network().prior(i), saved.network().prior(i));
        // And both go on learning alike.
        saved.partial_fit(sine.x, sine.y);
        loaded.partial_fit(sine.x, sine.y);
        expect_same();
      }
}

TEST_F(ModelFileTest, EveryPartOfTheNetworkIsKept) {
  network::NetworkOptions options{
      .inputs = 2,
      .layers = {{.units = 3, .activation = network::Activation::relu, .bias = false},
                 {.units = 4, .slope = 0.3, .activation_prior_variance = 1.7},
                 {.units = 2, .activation = network::Activation::identity}},
      .rule = graph::Rule::conditioned,
      .precision = network::Precision::float64,
      .seed = 18446744073709551615U};
  const FittedModel model{
      ModelKind::regressor,
      {{network::Network(options), {0.1, 0.2}, 17}, {network::Network(options), {0.3, 0.4}, 18}},
      {{1, 2}, {3, 4}},
      TargetScales(Scales{{5, 6}, {7, 8}}, {TargetColumn(2, 3, 0.5), TargetColumn(4, 5, 0.25)}),
      1,
      0.625,
      19,
      {{1, 2, 3, 4}, {5, 6, 7, 8}, {0.5, 2}, 2},
      {},
      InputEncoding({{Encoding::quantile, 1, 2, {}, {1, 2, 3}}, {Encoding::standard, 5, 6}},
                    {0.25, 0.5}, {0.75, 1}, 1.5),
      {LeftOutScores({0.5, 1.5}), LeftOutScores({1, 2, 3})},
      {},
      Estimator::OutOfFoldScore{-1.25, 0.03125, 77},
      {StreamReach(LeftOutScores({1, 2})), StreamReach(LeftOutScores())}};
  const EstimatorOptions options_before{
      .hidden = {7, 9}, .power = 3.5, .training = {.learn_noise = false, .damping = 0.25}};
  write_model(path, model, options_before);
  const auto [found, options_after] = read_model(path, {ModelKind::regressor});
  EXPECT_EQ(found.inputs.mean, model.inputs.mean);
  EXPECT_EQ(found.inputs.deviation, model.inputs.deviation);
  EXPECT_EQ(found.encoding.columns(), model.encoding.columns());
  EXPECT_EQ(found.encoding.typical_means(), model.encoding.typical_means());
  EXPECT_EQ(found.encoding.typical_variances(), model.encoding.typical_variances());
  EXPECT_EQ(found.encoding.unit(), 1.5);
  EXPECT_EQ(found.targets.plain().mean, model.targets.plain().mean);
  EXPECT_EQ(found.targets.plain().deviation, model.targets.plain().deviation);
  for (std::size_t o = 0; o < 2; ++o) {
    EXPECT_EQ(found.targets.column(o).mean(), model.targets.column(o).mean());
    EXPECT_EQ(found.targets.column(o).deviation(), model.targets.column(o).deviation());
    EXPECT_EQ(found.targets.column(o).offset(), model.targets.column(o).offset());
  }
  ASSERT_EQ(found.members.size(), 2U);
  EXPECT_EQ(found.members[0].noise_variance, model.members[0].noise_variance);
  EXPECT_EQ(found.members[1].noise_variance, model.members[1].noise_variance);
  EXPECT_EQ(found.members[0].seen, 17U);
  EXPECT_EQ(found.members[1].seen, 18U);
  EXPECT_EQ(found.rows_learned, 19U);
  EXPECT_EQ(found.epistemic_scale, 0.625);
  ASSERT_TRUE(found.out_of_fold.has_value());
  EXPECT_EQ(found.out_of_fold->log_likelihood, -1.25);
  EXPECT_EQ(found.out_of_fold->standard_error, 0.03125);
  EXPECT_EQ(found.out_of_fold->rows, 77U);
  ASSERT_EQ(found.left_out.size(), 2U);
  ASSERT_EQ(found.reach.size(), 2U);
  for (std::size_t o = 0; o < 2; ++o) {
    EXPECT_EQ(found.left_out[o].kept(), model.left_out[o].kept());
    EXPECT_EQ(found.reach[o].numbers(), model.reach[o].numbers());
  }
  EXPECT_EQ(found.start.inputs, model.start.inputs);
  EXPECT_EQ(found.start.targets, model.start.targets);
  EXPECT_EQ(found.start.sample_weights, model.start.sample_weights);
  EXPECT_EQ(found.start.count, 2U);
  EXPECT_EQ(options_after.hidden, options_before.hidden) << "as asked for, not as narrowed";
  EXPECT_EQ(options_after.power, 3.5);
  EXPECT_EQ(options_after.training.damping, 0.25);
  EXPECT_FALSE(options_after.training.learn_noise);
  const network::NetworkOptions& read = found.shape();
  EXPECT_EQ(read.seed, options.seed);
  EXPECT_EQ(read.rule, options.rule);
  ASSERT_EQ(read.layers.size(), 3U);
  EXPECT_EQ(read.layers[0].activation, network::Activation::relu);
  EXPECT_FALSE(read.layers[0].bias);
  EXPECT_EQ(read.layers[1].slope, 0.3);
  EXPECT_EQ(read.layers[1].activation_prior_variance, 1.7);
  EXPECT_FALSE(read.layers[2].activation_prior_variance.has_value());
  const std::vector<double> rows{0.5, -1, 2, 0};
  for (std::size_t m = 0; m < 2; ++m)
    EXPECT_EQ(found.members[m].network.predict({rows}).mean,
              model.members[m].network.predict({rows}).mean);
}

// In the order of the public numbering, as a reader of the file would expect it.
TEST_F(ModelFileTest, ArraysAreUnitsByInputsWithTheBiasLast) {
  network::NetworkOptions options = network::NetworkOptions::dense(2, {3});
  options.precision = network::Precision::float64;
  write_model(path,
              {ModelKind::regressor,
               {{network::Network(options), {1}, 0}},
               {{0, 0}, {1, 1}},
               TargetScales(Scales{{0}, {1}})},
              {});
  const network::Network network(options);
  SafetensorsReader file(path);
  std::vector<double> tau(9), rho(9);
  file.read<double>("members.0.layers.0.prior.tau", {3, 3}, tau);
  file.read<double>("members.0.layers.0.rho", {3, 3}, rho);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(tau[i], network.prior(i).tau());
    EXPECT_EQ(rho[i], network.weight(i).rho());
  }
  file.read<double>("members.0.layers.1.tau", {1, 4}, std::span(tau).first(4));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(tau[i], network.weight(9 + i).tau());
}

TEST_F(ModelFileTest, WrongDescriptionsAreNamed) {
  fitted({.hidden = {10}, .ensemble_size = 1, .training = {.max_epochs = 1}}).save(path);
  const std::string whole = bytes_of(path);
  const auto with = [&](const std::string& text, const std::string& by) {
    replace(whole, text, by);
    return refusal();
  };
  EXPECT_NE(with("postrider model 1", "postrider model 2").find("another version"),
            std::string::npos);
  EXPECT_NE(with("\"inputs\":\"1\"", "\"inputs\":\"2\"").find("another shape"), std::string::npos);
  EXPECT_NE(with("\"inputs\":\"1\"", "\"inputs\":\"x\"").find("\"inputs\" is not a number"),
            std::string::npos);
  EXPECT_NE(with("\"inputs\":\"1\"", "\"inputz\":\"1\"").find("does not say \"inputs\""),
            std::string::npos);
  EXPECT_NE(with("\"layers\":\"2\"", "\"layers\":\"3\"").find("does not say \"layers.2.units\""),
            std::string::npos);
  EXPECT_NE(with("\"layers\":\"2\"", "\"layers\":\"0\"").find("layers = 0"), std::string::npos);
  EXPECT_NE(with("\"members\":\"1\"", "\"members\":\"2\"").find("members.1.layers.0.tau"),
            std::string::npos);
  EXPECT_NE(with("\"members\":\"1\"", "\"members\":\"0\"").find("has no members"),
            std::string::npos);
  EXPECT_NE(with("units\":\"10\"", "units\":\"11\"").find("another shape"), std::string::npos);
  EXPECT_NE(with("conditioned", "conditionet").find("unknown value \"conditionet\""),
            std::string::npos);
  EXPECT_NE(with("float32", "float64").find("is not F64"), std::string::npos);
  EXPECT_NE(with("\"0.05\"", "\"5.05\"").find("slope = 5.05"), std::string::npos);
  EXPECT_NE(with("members.0.layers.1.rho", "members.0.layers.1.rhx")
                .find("no array members.0.layers.1.rho"),
            std::string::npos);
  EXPECT_NE(with("members.0.noise_variance", "members.0.noisx_variance")
                .find("no array members.0.noise_variance"),
            std::string::npos);
}

// A network of 1e18 weights in a file of some kilobytes: refused before memory is taken.
TEST_F(ModelFileTest, SizesThatTheFileCannotHoldAreRefused) {
  std::map<std::string, std::string> metadata;
  fitted({.hidden = {10}, .ensemble_size = 1, .training = {.max_epochs = 1}}).save(path);
  metadata = SafetensorsReader(path).metadata();
  for (const char* units : {"1000000000000000000", "18446744073709551615"}) {
    metadata["layers.0.units"] = units;
    const std::vector<float> values(20, 1);
    write_safetensors(path, {view_of<float>("members.0.layers.0.tau", {10, 2}, values)}, metadata);
    EXPECT_NE(refusal().find("another shape"), std::string::npos);
  }
}

TEST_F(ModelFileTest, ValuesThatAreNoModelAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const network::NetworkOptions options = network::NetworkOptions::dense(1, {});
  const Scales good{{0}, {1}};
  const auto model_of = [&](const Scales& inputs, const Scales& targets, double noise) {
    return FittedModel{ModelKind::regressor,
                       {{network::Network(options), {noise}, 0}},
                       inputs,
                       TargetScales(targets)};
  };
  write_model(path, model_of(good, good, 1), {});
  const std::map<std::string, std::string> metadata = SafetensorsReader(path).metadata();
  // What a file is refused for that has this number in the place of one of its own.
  const auto refused = [&](const std::string& name, double bad) {
    const std::vector<float> fine{1, 1};
    const std::vector<double> one{1}, broken{bad};
    std::vector<TensorView> tensors;
    for (const char* each : {"tau", "rho", "prior.tau", "prior.rho"})
      tensors.push_back(view_of<float>(std::string("members.0.layers.0.") + each, {1, 2}, fine));
    for (const char* each : {"inputs.mean", "inputs.deviation", "targets.mean", "targets.deviation",
                             "members.0.noise_variance"})
      tensors.push_back(view_of<double>(each, {1}, name == each ? broken : one));
    write_safetensors(path, tensors, metadata);
    return refusal();
  };
  for (const double bad : {nan, infinity, 0.0, -1.0}) {
    for (const char* name : {"inputs.deviation", "targets.deviation", "members.0.noise_variance"})
      EXPECT_NE(refused(name, bad).find("not positive"), std::string::npos) << name << " " << bad;
    EXPECT_THROW(write_model(path, model_of({{0}, {bad}}, good, 1), {}), Error);
    EXPECT_THROW(write_model(path, model_of(good, {{0}, {bad}}, 1), {}), Error);
    EXPECT_THROW(write_model(path, model_of(good, good, bad), {}), Error);
  }
  for (const double bad : {nan, infinity}) {
    for (const char* name : {"inputs.mean", "targets.mean"})
      EXPECT_NE(refused(name, bad).find("not a number"), std::string::npos) << name << " " << bad;
    EXPECT_THROW(write_model(path, model_of({{bad}, {1}}, good, 1), {}), Error);
    EXPECT_THROW(write_model(path, model_of(good, {{bad}, {1}}, 1), {}), Error);
  }
  for (const char* name : {"tau", "rho", "prior.tau", "prior.rho"})
    for (const float bad : {std::nanf(""), -1.0F, 0.0F, std::numeric_limits<float>::infinity()}) {
      const bool is_precision = std::string(name).ends_with("rho");
      if (!is_precision && std::isfinite(bad)) continue;
      const std::vector<float> fine{1, 1}, broken{1, bad};
      const std::vector<double> one{1};
      std::vector<TensorView> tensors;
      for (const char* each : {"tau", "rho", "prior.tau", "prior.rho"})
        tensors.push_back(view_of<float>(std::string("members.0.layers.0.") + each, {1, 2},
                                         std::string(each) == name ? broken : fine));
      for (const char* each : {"inputs.mean", "inputs.deviation", "targets.mean",
                               "targets.deviation", "members.0.noise_variance"})
        tensors.push_back(view_of<double>(each, {1}, one));
      write_safetensors(path, tensors, metadata);
      EXPECT_NE(refusal().find("not proper"), std::string::npos) << name << " " << bad;
    }
}

// The mean and, behind it, the deviation of roots.
TEST_F(ModelFileTest, ScalesOfRootsThatAreNoneAreRefused) {
  const network::NetworkOptions options = network::NetworkOptions::dense(1, {});
  const Scales plain{{0}, {1}};
  const FittedModel model{ModelKind::regressor,
                          {{network::Network(options), {1}, 0}},
                          plain,
                          TargetScales(plain, {TargetColumn(0.7321, 0.4567, 1)}),
                          1,
                          1,
                          0,
                          {},
                          {},
                          InputEncoding(plain)};
  for (const double number : {0.7321, 0.4567}) {
    write_model(path, model, {});
    EXPECT_EQ(trouble([&] { Regressor::load(path); }), "no trouble");
    const auto text = [](double of) {
      return std::string(reinterpret_cast<const char*>(&of), sizeof(of));
    };
    replace(bytes_of(path), text(number), text(std::nan("")));
    EXPECT_NE(refusal().find("must have a scale of finite numbers"), std::string::npos);
  }
}

// A model that knows how well it predicts; the texts are replaced by others of the same length.
TEST_F(ModelFileTest, WhatAModelKnowsOfItselfIsRefusedWhereItMakesNoSense) {
  const network::NetworkOptions options = network::NetworkOptions::dense(1, {});
  const Scales plain{{0}, {1}};
  FittedModel model{
      ModelKind::regressor, {{network::Network(options), {1}, 0}}, plain, TargetScales(plain)};
  model.encoding = InputEncoding(plain);
  model.epistemic_scale = 0.4375;
  model.out_of_fold = Estimator::OutOfFoldScore{-1.125, 0.0625, 123};
  model.reach.emplace_back(LeftOutScores());
  write_model(path, model, {});
  EXPECT_EQ(trouble([&] { Regressor::load(path); }), "no trouble");
  const std::string whole = bytes_of(path);
  const auto with = [&](const std::string& text, const std::string& by) {
    replace(whole, text, by);
    return refusal();
  };
  for (const char* bad : {"0.0075", "-1.375", "1234.5", "   inf", "   nan"})
    EXPECT_NE(with("0.4375", bad), "no trouble") << bad;
  for (const char* bad : {"0.0075", "-1.375", "1234.5"})
    EXPECT_NE(with("0.4375", bad).find("epistemic scale"), std::string::npos) << bad;
  EXPECT_NE(with("0.0625", "-0.625").find("out-of-fold"), std::string::npos);
  EXPECT_NE(with("\"123\"", "\"abc\"").find("out_of_fold.rows"), std::string::npos);
  EXPECT_NE(with("out_of_fold.rows", "out_of_fold.rowz").find("out_of_fold.rows"),
            std::string::npos);
  const double first = model.reach.front().numbers().front(), far = 8.5;
  const auto text = [](double of) {
    return std::string(reinterpret_cast<const char*>(&of), sizeof(of));
  };
  EXPECT_NE(with(text(first), text(far)).find("stream.reach"), std::string::npos);
}

// No bit of a file can change without notice.
TEST_F(ModelFileTest, EveryChangedBitIsRefused) {
  fitted({.hidden = {2}, .ensemble_size = 1, .training = {.max_epochs = 1}}).save(path);
  const std::string whole = bytes_of(path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    std::istringstream from(bytes);
    EXPECT_NE(trouble([&] { Regressor::load(from); }), "no trouble") << "bit " << bit;
  }
}

TEST_F(ModelFileTest, SaysWhatAFileIs) {
  fitted({.hidden = {2}, .ensemble_size = 1, .training = {.max_epochs = 1}}).save(path);
  EXPECT_EQ(format_of_file(path), "postrider model 1");
  EXPECT_TRUE(describe_model_file(path).has_checksums);
  write_bytes(path, "mean,deviation\n");
  EXPECT_EQ(format_of_file(path), "");
  EXPECT_THROW(format_of_file(folder.file("none")), FileError);
}

// Whatever the bytes: a model, or an Error that names the file. A model whose scales were damaged may
// find the inputs too large for a float, and says that of the inputs, or predictions.
TEST_F(ModelFileTest, DamageGivesAnErrorOrAModel) {
  fitted({.hidden = {3}, .training = {.max_epochs = 1}}).save(path);
  const std::string whole = bytes_of(path);
  RandomStream random(7, 0);
  constexpr int kFiles = 250;
  int refused = 0;
  for (int file = 0; file < kFiles; ++file) {
    write_bytes(path, resealed(damaged(whole, random)));
    try {
      const Regressor model = Regressor::load(path);
      try {
        model.predict(sine.x);
      } catch (const InvalidArgument& error) {
        EXPECT_EQ(std::string(error.what()).find("inputs = "), 0u) << error.what();
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("a prediction is not a finite number"), 0u)
            << error.what();
      }
    } catch (const Error& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, kFiles / 4);
}

TEST_F(ModelFileTest, AStreamGetsTheBytesOfTheFile) {
  const Regressor regressor = fitted({.hidden = {3}, .training = {.max_epochs = 1}});
  regressor.save(path, {{"key", "text"}});
  std::stringstream bytes;
  regressor.save(bytes, {{"key", "text"}});
  EXPECT_EQ(bytes.str(), bytes_of(path));
  const Regressor again = Regressor::load(bytes);
  EXPECT_EQ(again.predict(sine.x).mean, regressor.predict(sine.x).mean);
  EXPECT_EQ(again.notes().at("key"), "text");
  std::istringstream half(bytes.str().substr(0, bytes.str().size() / 2));
  EXPECT_THROW(Regressor::load(half), Error);
}

}  // namespace
}  // namespace postrider
