#include "estimator/model_file.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <map>
#include <memory>
#include <sstream>

#include "base/number_text.h"
#include "data/safetensors.h"
#include "estimator/description.h"
#include "estimator/encoding_file.h"
#include "estimator/model_bounds.h"
#include "estimator/model_options.h"
#include "estimator/network_file.h"
#include "estimator/shape_file.h"
#include "postrider/error.h"
#include "postrider/model_file.h"
#include "postrider/version.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

constexpr const char* kFormat = "postrider model 1";
constexpr std::string_view kNote = "notes.";
const std::vector<ModelKind> kAllKinds{ModelKind::regressor, ModelKind::classifier,
                                       ModelKind::varying_noise};

const char* name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::classifier:
      return "classifier";
    case ModelKind::varying_noise:
      return "regressor with varying noise";
    case ModelKind::regressor:
      break;
  }
  return "regressor";
}

std::string left_out_key(std::size_t target) { return "left_out." + std::to_string(target); }

std::map<std::string, std::string> described(ModelKind kind, std::size_t members,
                                             const network::NetworkOptions& options) {
  std::map<std::string, std::string> out{{"format", kFormat},
                                         {"writer", std::string("postrider ") + kVersion},
                                         {"kind", name_of(kind)},
                                         {"members", std::to_string(members)}};
  describe_network(options, out);
  return out;
}

// What else a file of ours may be.
std::string other_format(const std::string& format) {
  const auto starts = [&](const char* name) { return format.starts_with(name); };
  if (starts("postrider skill history"))
    return "it is a skill history, which postrider rate and SkillHistory read";
  if (starts("postrider sparse model"))
    return "it is a sparse model, which postrider sparse and SparseModel read";
  if (starts("postrider checkpoint"))
    return "it is a checkpoint, which postrider train --resume goes on from";
  return starts("postrider model") ? "it is of another version"
                                   : "it is not a model of this program";
}

ModelKind read_kind(const Description& from, const std::vector<ModelKind>& accepted) {
  if (from.text("format") != kFormat) from.fail(other_format(from.text("format")));
  const auto pair = [](ModelKind kind) { return std::pair(name_of(kind), kind); };
  const auto found = from.choose<ModelKind>(
      "kind",
      {pair(ModelKind::regressor), pair(ModelKind::classifier), pair(ModelKind::varying_noise)});
  if (std::ranges::find(accepted, found) == accepted.end())
    from.fail(std::string("it is a ") + name_of(found) + ", and a " + name_of(accepted.front()) +
              " was asked for");
  return found;
}

// How many targets are scaled, and how many noise variances there are.
struct TargetSizes {
  std::size_t scaled, noises;
};
TargetSizes target_sizes(const Description& from, ModelKind kind, std::size_t outputs) {
  switch (kind) {
    case ModelKind::classifier:
      return {0, 1};
    case ModelKind::varying_noise:
      if (outputs % 2 != 0) from.fail("its outputs are not two per target");
      return {outputs / 2, 1};
    case ModelKind::regressor:
      break;
  }
  return {outputs, outputs};
}

}  // namespace

const Member& FittedModel::member(std::size_t index) const {
  if (index >= members.size())
    reject("member", index, "must be below " + std::to_string(members.size()));
  return members[index];
}

namespace {

constexpr const char *kRowsLearned = "rows_learned", *kEpistemicScale = "epistemic_scale";
// For a file that does not say: enough for all that depends on it.
constexpr std::size_t kSeenBefore = 1000;

void add_start(const StreamStart& start, ModelArrays& to,
               std::map<std::string, std::string>& metadata) {
  to.add("stream_start.inputs", start.inputs);
  to.add("stream_start.targets", start.targets);
  if (!start.sample_weights.empty()) to.add("stream_start.sample_weights", start.sample_weights);
  metadata["stream_start.rows"] = std::to_string(start.count);
}

StreamStart read_start(SafetensorsReader& file, const Description& from, std::size_t columns,
                       std::size_t targets) {
  StreamStart out;
  if (!from.has("stream_start.rows")) return out;
  out.count = from.read<std::size_t>("stream_start.rows");
  // Far more than a stream begins with, and small enough to be multiplied.
  if (out.count == 0 || out.count > 1'000'000) from.fail("\"stream_start.rows\" makes no sense");
  const auto values = [&](const char* name, std::size_t size) {
    if (file.shape(name) != std::vector<std::size_t>{size})
      from.fail(std::string("the array ") + name + " has another shape than it says");
    return read_doubles(file, name, size);
  };
  out.inputs = values("stream_start.inputs", out.count * columns);
  out.targets = values("stream_start.targets", out.count * targets);
  if (file.has("stream_start.sample_weights"))
    out.sample_weights = values("stream_start.sample_weights", out.count);
  return out;
}

std::vector<LeftOutScores> read_left_out(SafetensorsReader& file, const Description& from,
                                         std::size_t targets) {
  std::vector<LeftOutScores> out;
  if (targets == 0 || !file.has(left_out_key(0))) return out;  // as in files before 0.2
  for (std::size_t o = 0; o < targets; ++o) {
    const std::string key = left_out_key(o);
    const std::size_t size = length_of(file, from, key.c_str());
    try {
      out.push_back(LeftOutScores::of_kept(read_doubles(file, key, size)));
    } catch (const InvalidArgument&) {
      from.fail("the array " + key + " does not hold scores in order");
    }
  }
  return out;
}

// What is stored of targets that are learned as their roots; in files before 0.2 there is none.
struct RootArrays {
  RootArrays() = default;
  explicit RootArrays(const TargetScales& targets) {
    for (std::size_t o = 0; o < targets.columns(); ++o) {
      mean.push_back(targets.column(o).mean());
      deviation.push_back(targets.column(o).deviation());
      offset.push_back(targets.column(o).offset());
    }
  }
  std::vector<double> mean, deviation, offset;
};

TargetScales read_scales(SafetensorsReader& file, const Description& from, Scales plain) {
  if (!file.has("targets.root.mean")) return TargetScales(std::move(plain));
  const auto values = [&](const char* name) { return read_doubles(file, name, plain.columns()); };
  const std::vector<double> mean = values("targets.root.mean"),
                            deviation = values("targets.root.deviation"),
                            offset = values("targets.root.offset");
  std::vector<TargetColumn> learned;
  for (std::size_t o = 0; o < plain.columns(); ++o)
    learned.emplace_back(mean[o], deviation[o], offset[o]);
  try {
    return {std::move(plain), std::move(learned)};
  } catch (const InvalidArgument& error) {
    from.fail(error.what());
  }
}

// Steps of lattices; in files before 0.3, and of targets that lie on none, they are missing.
constexpr const char* kTargetSteps = "targets.step";

TargetScales read_targets(SafetensorsReader& file, const Description& from, Scales plain) {
  TargetScales out = read_scales(file, from, std::move(plain));
  if (!file.has(kTargetSteps)) return out;
  try {
    return out.on_lattices(read_doubles(file, kTargetSteps, out.columns()));
  } catch (const InvalidArgument& error) {
    from.fail(error.what());
  }
}

constexpr const char *kOutOfFold = "out_of_fold.log_likelihood",
                     *kOutOfFoldError = "out_of_fold.standard_error",
                     *kOutOfFoldRows = "out_of_fold.rows";

void describe_out_of_fold(const Estimator::OutOfFoldScore& score,
                          std::map<std::string, std::string>& to) {
  to[kOutOfFold] = shortest_text(score.log_likelihood);
  to[kOutOfFoldError] = shortest_text(score.standard_error);
  to[kOutOfFoldRows] = std::to_string(score.rows);
}

std::optional<Estimator::OutOfFoldScore> read_out_of_fold(const Description& from) {
  if (!from.has(kOutOfFold)) return {};  // of streams, and in files before 0.3
  const Estimator::OutOfFoldScore out{from.read<double>(kOutOfFold),
                                      from.read<double>(kOutOfFoldError),
                                      from.read<std::size_t>(kOutOfFoldRows)};
  if (!std::isfinite(out.log_likelihood) || !(out.standard_error >= 0) ||
      !std::isfinite(out.standard_error))
    from.fail("its out-of-fold log-likelihood makes no sense");
  return out;
}

std::string reach_key(std::size_t target) { return "stream.reach." + std::to_string(target); }

std::vector<StreamReach> read_reach(SafetensorsReader& file, std::size_t targets) {
  std::vector<StreamReach> out;
  for (std::size_t o = 0; o < targets && file.has(reach_key(o)); ++o)
    out.emplace_back(read_doubles(file, reach_key(o), StreamReach::kNumbers));
  if (!out.empty() && out.size() != targets)
    reject("stream.reach", out.size(), "must be there for each target");
  return out;
}

constexpr const char *kStreamRates = "stream.rates", *kStreamWatch = "stream.watch";

// What is stored of a model that learned from a stream; in files before 0.2 there is none.
struct StreamArrays {
  explicit StreamArrays(const std::optional<StreamBank>& bank) {
    if (!bank) return;
    rates = bank->bank().weights();
    watch = bank->watch().numbers();
  }
  std::vector<double> rates, watch;
};

std::optional<StreamBank> read_bank(SafetensorsReader& file, const Description& from,
                                    std::size_t members, std::vector<StreamKind> kinds) {
  if (!file.has(kStreamRates)) return {};
  const std::size_t rates = length_of(file, from, kStreamRates);
  if (rates > members) from.fail("it has more rates of drift than networks");
  try {
    return StreamBank(read_doubles(file, kStreamRates, rates),
                      read_doubles(file, kStreamWatch, ChangeWatch::kNumbers), std::move(kinds));
  } catch (const InvalidArgument& error) {
    from.fail(error.what());
  }
}

// To a path or a stream.
template <class To>
void write_model_to(To&& to, const FittedModel& model, const EstimatorOptions& options,
                    const std::map<std::string, std::string>& notes) {
  if (const std::string trouble = trouble_with(model, model.bank.has_value()); !trouble.empty())
    throw Error("the model is not written, since it could not be read again: " + trouble);
  ModelArrays arrays;
  for (std::size_t m = 0; m < model.members.size(); ++m) {
    arrays.add(m, model.members[m].network);
    arrays.add(member_key(m, "noise_variance"), model.members[m].noise_variance);
  }
  arrays.add("inputs.mean", model.inputs.mean);
  arrays.add("inputs.deviation", model.inputs.deviation);
  EncodingArrays encoding(model.encoding);
  encoding.for_each(
      [&](const char* name, const std::vector<double>& values) { arrays.add(name, values); });
  arrays.add("targets.mean", model.targets.plain().mean);
  arrays.add("targets.deviation", model.targets.plain().deviation);
  const RootArrays roots(model.targets);
  if (model.targets.has_root()) {
    arrays.add("targets.root.mean", roots.mean);
    arrays.add("targets.root.deviation", roots.deviation);
    arrays.add("targets.root.offset", roots.offset);
  }
  std::vector<double> steps;  // arrays are written at the end
  for (std::size_t o = 0; o < model.targets.columns(); ++o)
    steps.push_back(model.targets.column(o).step());
  if (model.targets.has_lattice()) arrays.add(kTargetSteps, steps);
  for (std::size_t o = 0; o < model.left_out.size(); ++o)
    arrays.add(left_out_key(o), model.left_out[o].kept());
  std::map<std::string, std::string> metadata =
      described(model.kind, model.members.size(), model.shape());
  if (model.kind == ModelKind::classifier)
    metadata["temperature"] = shortest_text(model.temperature);
  if (model.epistemic_scale != 1) metadata[kEpistemicScale] = shortest_text(model.epistemic_scale);
  metadata[kRowsLearned] = std::to_string(model.rows_learned);
  if (model.out_of_fold) describe_out_of_fold(*model.out_of_fold, metadata);
  for (std::size_t m = 0; m < model.members.size(); ++m)
    metadata[member_key(m, "seen")] = std::to_string(model.members[m].seen);
  if (model.start.count > 0) add_start(model.start, arrays, metadata);
  std::vector<std::vector<double>> reaches;  // which must outlive the arrays
  for (const StreamReach& reach : model.reach) reaches.push_back(reach.numbers());
  for (std::size_t o = 0; o < reaches.size(); ++o) arrays.add(reach_key(o), reaches[o]);
  const StreamArrays stream(model.bank);
  if (model.bank) {
    arrays.add(kStreamRates, stream.rates);
    arrays.add(kStreamWatch, stream.watch);
  }
  const ShapeArrays shape = arrays_of(model.learned_shape.get());
  if (model.learned_shape) add_shape(*model.learned_shape, shape, arrays, metadata);
  describe_options(options, metadata);
  for (const auto& [key, text] : notes) metadata[std::string(kNote) + key] = text;
  write_safetensors(to, arrays.tensors(), metadata);
}

}  // namespace

void write_model(const std::string& path, const FittedModel& model, const EstimatorOptions& options,
                 const std::map<std::string, std::string>& notes) {
  write_model_to(path, model, options, notes);
}

void write_model(std::ostream& to, const FittedModel& model, const EstimatorOptions& options,
                 const std::map<std::string, std::string>& notes) {
  write_model_to(to, model, options, notes);
}

ModelKind read_model_kind(const std::string& path) {
  const SafetensorsReader file(path);
  return read_kind({path, file.metadata()}, kAllKinds);
}

ModelKind read_model_kind(const std::string& bytes, const std::string& called) {
  const SafetensorsReader file(std::make_unique<std::istringstream>(bytes), called);
  return read_kind({called, file.metadata()}, kAllKinds);
}

}  // namespace internal

std::string format_of_file(const std::string& path) {
  try {
    const SafetensorsReader file(path);
    const auto found = file.metadata().find("format");
    return found == file.metadata().end() ? std::string() : found->second;
  } catch (const CorruptFile&) {
    return {};
  }
}

ModelFile describe_model_file(const std::string& path) {
  const SafetensorsReader file(path);
  const Description description(path, file.metadata());
  read_kind(description, kAllKinds);
  return {description.text("format"),
          description.has("writer") ? description.text("writer") : std::string(),
          file.has_checksums()};
}

namespace {

StoredModel read_model_from(SafetensorsReader& file, const std::string& name,
                            const std::vector<ModelKind>& kinds) {
  const Description description(name, file.metadata());
  const ModelKind kind = read_kind(description, kinds);
  const network::NetworkOptions options = read_network_options(description);
  const auto members = description.read<std::size_t>("members");
  expect_shapes(file, description, members, options);
  const TargetSizes sizes = target_sizes(description, kind, options.outputs());
  FittedModel out{kind, {}, {}, {}};
  for (std::size_t m = 0; m < members; ++m) {
    Member member{network::Network(options), {}, 0};
    read_network(file, m, member.network);
    member.noise_variance = read_doubles(file, member_key(m, "noise_variance"), sizes.noises);
    const std::string seen = member_key(m, "seen");
    member.seen = description.has(seen) ? description.read<std::size_t>(seen) : kSeenBefore;
    out.members.push_back(std::move(member));
  }
  const auto scales = [&](const std::string& of, std::size_t size) {
    return Scales{read_doubles(file, of + ".mean", size),
                  read_doubles(file, of + ".deviation", size)};
  };
  out.inputs = scales("inputs", length_of(file, description, "inputs.mean"));
  out.targets = read_targets(file, description, scales("targets", sizes.scaled));
  out.left_out = read_left_out(file, description, sizes.scaled);
  out.out_of_fold = read_out_of_fold(description);
  if (description.has(kEpistemicScale))
    out.epistemic_scale = description.read<double>(kEpistemicScale);
  if (kind == ModelKind::classifier) out.temperature = description.read<double>("temperature");
  // Not all bytes are a model: what is out of bounds would become a NaN later.
  if (const std::string trouble = trouble_with(out, file.has(kStreamRates)); !trouble.empty())
    description.fail(trouble);
  out.encoding = read_encoding(file, description, out.inputs);
  if (out.encoding.inputs() != options.inputs ||
      out.encoding.columns().size() != out.inputs.columns())
    description.fail("its columns are not those of its networks");
  for (const auto& [key, text] : file.metadata())
    if (key.starts_with(kNote)) out.notes[key.substr(kNote.size())] = text;
  if (description.has(kRowsLearned)) out.rows_learned = description.read<std::size_t>(kRowsLearned);
  if (kind != ModelKind::classifier && sizes.scaled == 1)
    out.learned_shape = read_shape(file, description, out.inputs.columns());
  const std::size_t targets = kind == ModelKind::classifier ? 1 : sizes.scaled;
  out.start = read_start(file, description, out.inputs.columns(), targets);
  try {
    EstimatorOptions asked = options_of(file.metadata(), out);
    out.bank = read_bank(file, description, members, kinds_of_members(asked));
    if (out.bank) out.bank->share_out(out.members);
    out.reach = read_reach(file, sizes.scaled);
    return {std::move(out), std::move(asked)};
  } catch (const InvalidArgument& error) {
    description.fail(error.what());
  }
}

}  // namespace

namespace internal {

StoredModel read_model(const std::string& path, const std::vector<ModelKind>& kinds) {
  SafetensorsReader file(path);
  return read_model_from(file, path, kinds);
}

StoredModel read_model(std::istream& from, const std::vector<ModelKind>& kinds) {
  const std::string name = "from memory";
  SafetensorsReader file(std::make_unique<std::istream>(from.rdbuf()), name);
  return read_model_from(file, name, kinds);
}

}  // namespace internal
}  // namespace postrider
