#include "estimator/option_table.h"

#include <algorithm>
#include <array>

#include "base/number_text.h"
#include "base/option.h"
#include "postrider/error.h"
#include "train/option_table.h"

namespace postrider {
using namespace internal;

namespace internal {

template <>
struct ChoiceNames<network::Activation> {
  static constexpr std::array<std::pair<std::string_view, network::Activation>, 3> all{
      {{"leaky_relu", network::Activation::leaky_relu},
       {"relu", network::Activation::relu},
       {"identity", network::Activation::identity}}};
};
template <>
struct ChoiceNames<network::Precision> {
  static constexpr std::array<std::pair<std::string_view, network::Precision>, 2> all{
      {{"float32", network::Precision::float32}, {"float64", network::Precision::float64}}};
};

template <>
struct ChoiceNames<EstimatorOptions::Copies> {
  static constexpr std::array<std::pair<std::string_view, EstimatorOptions::Copies>, 3> all{
      {{"chosen", EstimatorOptions::Copies::chosen},
       {"together", EstimatorOptions::Copies::together},
       {"apart", EstimatorOptions::Copies::apart}}};
};

template <>
struct ChoiceNames<EstimatorOptions::Intervals> {
  static constexpr std::array<std::pair<std::string_view, EstimatorOptions::Intervals>, 2> all{
      {{"conformal", EstimatorOptions::Intervals::conformal},
       {"beliefs", EstimatorOptions::Intervals::beliefs}}};
};

template <>
struct ChoiceNames<EstimatorOptions::TargetScale> {
  static constexpr std::array<std::pair<std::string_view, EstimatorOptions::TargetScale>, 3> all{
      {{"chosen", EstimatorOptions::TargetScale::chosen},
       {"plain", EstimatorOptions::TargetScale::plain},
       {"root", EstimatorOptions::TargetScale::root}}};
};

template <>
struct ChoiceNames<Encoding> {
  static constexpr std::array<std::pair<std::string_view, Encoding>, 6> all{
      {{"chosen", Encoding::chosen},
       {"standard", Encoding::standard},
       {"quantile", Encoding::quantile},
       {"piecewise", Encoding::piecewise},
       {"bins", Encoding::bins},
       {"relevance", Encoding::relevance}}};
};

namespace {

using Options = EstimatorOptions;

std::vector<OptionRow<Options>> own_rows() {
  return {
      option_row<&Options::hidden>(
          {.name = "hidden",
           .command_line = "--hidden",
           .python = "hidden_layer_sizes",
           .least = 1,
           .zero_chooses = true,
           .help = "Units of each hidden layer, at most: see weights_per_example. Chosen: two "
                   "layers of 50, or three of 100 "
                   "where there are 1.5 rows for each weight of them."}),
      option_row<&Options::activation>({.name = "activation",
                                        .command_line = "--activation",
                                        .python = "activation",
                                        .help = "Activation function of the hidden units."}),
      option_row<&Options::slope>({.name = "slope",
                                   .least = 0,
                                   .most = 1,
                                   .help = "Slope of the leaky ReLU on the negative side."}),
      option_row<&Options::weights_per_example>(
          {.name = "weights_per_example",
           .command_line = "--weights-per-example",
           .python = "weights_per_example",
           .least = 0,
           .help = "The most weights for each row: layers are narrowed until a network has no "
                   "more. 0 narrows nothing."}),
      option_row<&Options::ensemble_size>(
          {.name = "ensemble_size",
           .command_line = "--ensemble-size",
           .python = "ensemble_size",
           .zero_chooses = true,
           .help =
               "Networks that differ in their prior means and in the eighth of the rows that each "
               "leaves out, and are averaged; by default sixteen, and fewer of large networks."}),
      option_row<&Options::drift>(
          {.name = "drift",
           .command_line = "--drift,!--no-drift",
           .python = "drift",
           .help = "Whether beliefs forget between the rows of a stream and get process noise: "
                   "networks do so at several rates, each weighted by how well it predicted. "
                   "Without drift a stream has one network unless more are asked for."}),
      option_row<&Options::power>({.name = "power",
                                   .command_line = "--power",
                                   .python = "power",
                                   .least = 0,
                                   .most = 1000,
                                   .above_least = true,
                                   .zero_chooses = true,
                                   .help =
                                       "Power that each row's messages are raised to; by default "
                                       "min(2, 1 + weights / rows)."}),
      option_row<&Options::copies>(
          {.name = "copies",
           .command_line = "--copies",
           .python = "copies",
           .help = "A power above 1 counts a row as several copies. The cavity from which it is "
                   "learned leaves out all of them (together) or one at a time (apart); by default "
                   "apart where networks are small."}),
      option_row<&Options::encoding>(
          {.name = "encoding",
           .command_line = "--encoding",
           .python = "encoding",
           .help = "How numbers become inputs: standardised, as ranks, or by a piecewise linear "
                   "function or bins whose knots lie where the target changes, or standardised and "
                   "scaled by how much a column matters (relevance); by default a short race "
                   "chooses one for all columns, and relevance is used below 200 rows."}),
      option_row<&Options::precision>({.name = "precision",
                                       .command_line = "--precision",
                                       .python = "precision",
                                       .help = "Floating-point type of the beliefs."}),
      option_row<&Options::outputs>({.name = "outputs",
                                     .scope = OptionInfo::Scope::numeric_target,
                                     .least = 1,
                                     .help = "Targets per row."}),
      option_row<&Options::varying_noise>({.name = "varying_noise",
                                           .command_line = "--varying-noise,!--constant-noise",
                                           .python = "varying_noise",
                                           .scope = OptionInfo::Scope::numeric_target,
                                           .help = "Whether the noise depends on the inputs."}),
      option_row<&Options::noise_std>(
          {.name = "noise_std",
           .command_line = "--noise-std",
           .python = "noise_std",
           .scope = OptionInfo::Scope::numeric_target,
           .least = 0,
           .help = "Standard deviation of the noise in the target's unit, where it is known: it is "
                   "not learned then, and does not vary. 0 for none: a thousandth of the target's "
                   "own standard deviation is taken. By default it is learned."}),
      option_row<&Options::learned_shape>(
          {.name = "learned_shape",
           .command_line = "--learned-shape,!--plain-shape",
           .python = "learned_shape",
           .scope = OptionInfo::Scope::numeric_target,
           .help =
               "Whether what networks leave over is learned from rows that they left out, where "
               "these say clearly that it helps: from neighbours, whose rows the model then "
               "keeps, and the shape of predicted distributions (skew, heavy tails, several "
               "modes)."}),
      option_row<&Options::target_scale>(
          {.name = "target_scale",
           .command_line = "--target-scale",
           .python = "target_scale",
           .scope = OptionInfo::Scope::numeric_target,
           .help = "Targets are learned as they are, or as their square roots, which suits counts "
                   "and amounts: nothing that is predicted is negative then. By default a short "
                   "race chooses where no target is negative."}),
      option_row<&Options::intervals>(
          {.name = "intervals",
           .command_line = "--intervals",
           .python = "intervals",
           .scope = OptionInfo::Scope::numeric_target,
           .help = "Prediction intervals: conformal ones would have held their share of the "
                   "training rows, each predicted by networks that left it out; those of beliefs "
                   "lie between quantiles of the predicted distribution."}),
      option_row<&Options::classes>({.name = "classes",
                                     .scope = OptionInfo::Scope::classes,
                                     .least = 2,
                                     .zero_chooses = true,
                                     .help = "Number of classes; by default one more than the "
                                             "largest label of the first rows."}),
      option_row<&Options::calibration_share>(
          {.name = "calibration_share",
           .command_line = "--calibration-share",
           .python = "calibration_share",
           .scope = OptionInfo::Scope::classes,
           .least = 0,
           .most = 0.5,
           .help = "Without effect since 0.3: the temperature of the probabilities is set by rows "
                   "that networks have not learned, of which every network leaves out some."}),
  };
}

EstimatorOptionRow lifted(const OptionRow<TrainerOptions>& row) {
  return {row.info, [get = row.get](const Options& options) { return get(options.training); },
          [set = row.set](Options& options, const OptionValue& value) {
            set(options.training, value);
          }};
}

const EstimatorOptionRow& row_of(std::string_view name) {
  for (const EstimatorOptionRow& row : estimator_option_rows())
    if (row.info.name == name) return row;
  std::string accepted = "must be one of";
  for (const EstimatorOptionRow& row : estimator_option_rows())
    accepted += (accepted.back() == 'f' ? " " : ", ") + std::string(row.info.name);
  reject("option", name, accepted);
}

std::string cell(std::string_view text) {
  return text.empty() ? std::string("-") : std::string("`").append(text).append("`");
}

std::string default_of(const EstimatorOptionRow& row) {
  const std::string text = to_string(row.get({}));
  return text.empty() ? "none" : text;
}

template <class N>
N number_in(const OptionInfo& info, std::string_view text) {
  const std::optional<N> out = number_of_text<N>(text);
  if (!out) reject(info.name, text, info.accepted());
  return *out;
}

template <class N>
std::vector<N> numbers_in(const OptionInfo& info, std::string_view text) {
  std::vector<N> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    out.push_back(number_in<N>(info, text.substr(0, comma)));
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return out;
}

}  // namespace

const std::vector<EstimatorOptionRow>& estimator_option_rows() {
  static const std::vector<EstimatorOptionRow> rows = [] {
    std::vector<EstimatorOptionRow> out;
    for (const OptionRow<Options>& row : own_rows()) out.push_back({row.info, row.get, row.set});
    for (const auto& row : training_option_rows()) out.push_back(lifted(row));
    return out;
  }();
  return rows;
}

bool is_saved(const OptionInfo& info) {
  constexpr std::array<std::string_view, 6> kOfRun{"threads",          "checkpoint", "resume",
                                                   "checkpoint_every", "store",      "store_path"};
  constexpr std::array<std::string_view, 5> kOfNetworks{"activation", "slope", "precision",
                                                        "outputs", "varying_noise"};
  return std::ranges::find(kOfRun, info.name) == kOfRun.end() &&
         std::ranges::find(kOfNetworks, info.name) == kOfNetworks.end();
}

OptionValue parsed_option(const OptionInfo& info, const std::string& text) {
  switch (info.kind) {
    case OptionInfo::Kind::flag:
      if (text != "yes" && text != "no") reject(info.name, text, info.accepted());
      return text == "yes";
    case OptionInfo::Kind::count:
      return number_in<std::uint64_t>(info, text);
    case OptionInfo::Kind::number:
      return number_in<double>(info, text);
    case OptionInfo::Kind::counts:
      return numbers_in<std::size_t>(info, text);
    case OptionInfo::Kind::numbers:
      return numbers_in<double>(info, text);
    case OptionInfo::Kind::text:
    case OptionInfo::Kind::choice:
      break;
  }
  return text;
}

}  // namespace internal

const std::vector<OptionInfo>& estimator_options() {
  static const std::vector<OptionInfo> infos = [] {
    std::vector<OptionInfo> out;
    for (const EstimatorOptionRow& row : estimator_option_rows()) out.push_back(row.info);
    return out;
  }();
  return infos;
}

OptionValue get_option(const EstimatorOptions& options, std::string_view name) {
  return row_of(name).get(options);
}

void set_option(EstimatorOptions& options, std::string_view name, const OptionValue& value,
                OptionInfo::Spelling spelling) {
  const EstimatorOptionRow& row = row_of(name);
  row.info.expect(value, spelling);
  row.set(options, value);
}

void EstimatorOptions::validate(OptionInfo::Spelling spelling) const {
  for (const EstimatorOptionRow& row : estimator_option_rows())
    row.info.expect(row.get(*this), spelling);
  training.validate(spelling);
  if (noise_std.empty()) return;
  const std::string_view called = row_of("noise_std").info.spelled(spelling);
  if (noise_std.size() != 1 && noise_std.size() != outputs)
    detail::reject_verbatim(called, to_string(OptionValue(noise_std)),
                            "must be one number, or one for each target");
  if (target_scale == EstimatorOptions::TargetScale::root)
    detail::reject_verbatim(
        called, to_string(OptionValue(noise_std)),
        "does not go with targets that are learned as square roots, where noise "
        "of one size has many");
}

void EstimatorOptions::validate_for(OptionInfo::Scope targets,
                                    OptionInfo::Spelling spelling) const {
  validate(spelling);
  for (const EstimatorOptionRow& row : estimator_option_rows()) {
    if (row.info.scope == OptionInfo::Scope::all || row.info.scope == targets) continue;
    if (row.get(*this) != row.get({}))
      detail::reject_verbatim(row.info.spelled(spelling), to_string(row.get(*this)),
                              row.info.scope == OptionInfo::Scope::classes
                                  ? "is for targets that are classes, and would not be used here"
                                  : "is for numeric targets, and would not be used here");
  }
}

std::string estimator_options_page() {
  std::string out =
      "| C++ | command line | Python | default | accepted | what it is for |\n"
      "|---|---|---|---|---|---|\n";
  for (const EstimatorOptionRow& row : estimator_option_rows()) {
    const OptionInfo& info = row.info;
    std::string scope = info.scope == OptionInfo::Scope::classes ? " Of classes only." : "";
    if (info.scope == OptionInfo::Scope::numeric_target) scope = " Of numeric targets only.";
    out += "| " + cell(info.name) + " | " +
           cell(info.command_line.substr(0, info.command_line.find(','))) + " | " +
           cell(info.python) + " | " + default_of(row) + " | " + info.accepted() + " | " +
           std::string(info.help) + scope + " |\n";
  }
  return out;
}

}  // namespace postrider
