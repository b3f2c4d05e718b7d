// What a report says of the data and of the model itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "postrider/importance.h"
#include "report/content_parts.h"
#include "text/columns.h"
#include "text/model_facts.h"

namespace postrider::internal {
using namespace cli;  // words of src/text

namespace {

constexpr std::size_t kBins = 24;
constexpr std::size_t kMostCategories = 24;  // drawn

std::vector<double> histogram(const std::vector<double>& numbers, double least, double largest) {
  std::vector<double> out(kBins);
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    const double place = largest > least ? (number - least) / (largest - least) : 0;
    ++out[std::min(kBins - 1, static_cast<std::size_t>(place * static_cast<double>(kBins)))];
  }
  return out;
}

void add_categories(const ColumnSummary& from, ReportColumn& to) {
  to.distinct = from.counts.size();
  std::vector<std::size_t> order(from.counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return from.counts[k]; });
  order.resize(std::min(order.size(), kMostCategories));
  for (const std::size_t k : order) {
    to.counts.push_back(static_cast<double>(from.counts[k]));
    to.categories.push_back(k < from.schema.categories.size() ? from.schema.categories[k]
                                                              : "other texts");
  }
}

// Influences of the features on the members' networks, of which the first output counts if it is the mean. Where a
// feature has several inputs, their strengths count together, and there is no slope.
std::vector<std::vector<network::InputInfluence>> influences_of(const TableModel& model) {
  const std::vector<Estimator::NetworkInput> inputs = model.estimator().network_inputs();
  std::vector<std::vector<network::InputInfluence>> out;
  for (std::size_t m = 0; m < members_of(model); ++m) {
    const auto of_inputs =
        network::input_influence(network_of(model, m), model.classifies() ? 0 : 1);
    std::vector<network::InputInfluence> of_features(model.features().size());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      network::InputInfluence& to = of_features[inputs[k].column];
      to.slope = of_inputs[k].slope * inputs[k].std;
      to.std = of_inputs[k].std * inputs[k].std;
      to.strength = std::hypot(to.strength, of_inputs[k].strength * inputs[k].std);
      to.nats += of_inputs[k].nats;
    }
    out.push_back(std::move(of_features));
  }
  return out;
}

double strength_of(const std::vector<std::vector<network::InputInfluence>>& members,
                   const std::vector<std::size_t>& features) {
  double squares = 0;
  for (const auto& member : members)
    for (const std::size_t f : features) squares += member[f].strength * member[f].strength;
  return std::sqrt(squares / static_cast<double>(members.size()));
}

// Mean and deviation of the slope, over members and what each leaves open.
void add_slope(const std::vector<std::vector<network::InputInfluence>>& members,
               std::size_t feature, ReportImportance& to) {
  double mean = 0, square = 0;
  for (const auto& member : members) {
    const network::InputInfluence& one = member[feature];
    mean += one.slope / static_cast<double>(members.size());
    square += (one.slope * one.slope + one.std * one.std) / static_cast<double>(members.size());
  }
  to.slope = mean;
  to.slope_deviation = std::sqrt(std::max(0.0, square - mean * mean));
}

}  // namespace

std::vector<ReportColumn> report_columns(const TableModel& model, const Table& table) {
  std::vector<ReportColumn> out;
  const ColumnGroups groups(model);
  const std::vector<Estimator::ColumnScale> scales = input_scales(model);
  const std::vector<ColumnSummary> summaries = summaries_of(table);
  for (std::size_t c = 0; c < summaries.size(); ++c) {
    const ColumnSummary& from = summaries[c];
    if (!from.is_known) continue;
    const bool is_number = from.schema.kind == ColumnSchema::Kind::numeric;
    const bool is_date = from.schema.kind == ColumnSchema::Kind::date;
    ReportColumn to{from.schema.name, is_number ? "number" : is_date ? "date" : "category"};
    to.is_target = from.schema.target;
    to.missing = from.missing;
    to.unknown = from.unknown;
    const auto group = std::ranges::find(groups.places, c);
    if (is_number && group != groups.places.end()) {
      const Estimator::ColumnScale& scale =
          scales[groups.inputs[static_cast<std::size_t>(group - groups.places.begin())].front()];
      if (scale.mean != 0) {
        to.learned_mean = scale.mean;
        to.learned_deviation = scale.std;
      }
    }
    if (is_number) {
      to.mean = from.mean;
      to.deviation = from.deviation;
      to.least = from.least;
      to.largest = from.largest;
    }
    if (is_date && from.least)
      to.range = fmt::format("{} to {}", date_text(*from.least), date_text(*from.largest));
    if (from.least)
      to.counts = histogram(table.column(c).numbers, *from.least, *from.largest);
    else if (!is_number && !is_date)
      add_categories(from, to);
    out.push_back(std::move(to));
  }
  return out;
}

std::vector<ReportTraining> report_training(const TableModel& model) {
  std::vector<ReportTraining> out;
  const double unit = target_unit(model);
  for (const TableModel::Step& step : model.history()) {
    for (const FitReport& fit : step.fits) {
      ReportTraining one{fmt::format("member {}", out.size() + 1), {}, {}, fit.best_epoch};
      for (const EpochReport& epoch : fit.epochs) {
        // In the unit of the target, as evaluate has it.
        one.score.push_back(epoch.score - std::log(unit));
        if (!model.classifies())
          one.noise.push_back(unit * std::sqrt(epoch.typical_noise_variance));
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

std::vector<ReportWeights> report_weights(const TableModel& model) {
  const network::Network& network = network_of(model);
  std::vector<ReportWeights> out;
  std::vector<std::string> inputs = network_input_names(model);
  std::size_t next = 0;
  const std::vector<network::Layer>& layers = network.options().layers;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    ReportWeights one;
    one.name = l + 1 == layers.size() ? "Output layer" : fmt::format("Hidden layer {}", l + 1);
    one.inputs = inputs;
    one.units = layers[l].units;
    if (layers[l].bias) one.inputs.push_back("bias");
    for (std::size_t k = 0; k < one.units * one.inputs.size(); ++k, ++next) {
      one.mean.push_back(network.weight(next).mean());
      one.deviation.push_back(network.weight(next).std());
    }
    out.push_back(std::move(one));
    inputs.clear();
    for (std::size_t u = 0; u < layers[l].units; ++u)
      inputs.push_back(fmt::format("unit {}", u + 1));
  }
  return out;
}

std::vector<ReportImportance> report_importances(const ReportSource& source) {
  const ColumnGroups groups(source.model);
  const auto members = influences_of(source.model);
  const bool one_output =
      !source.model.classifies() || network_of(source.model).options().outputs() == 1;
  std::vector<ColumnImportance> losses;
  if (source.rows.targets.size() > 1) losses = column_importance(source.model, source.rows.table);
  std::vector<ReportImportance> out;
  for (std::size_t g = 0; g < groups.places.size(); ++g) {
    const std::vector<std::size_t>& features = groups.inputs[g];
    ReportImportance one{source.model.schema().columns[groups.places[g]].name};
    if (!losses.empty()) {
      one.loss = losses[g].loss;
      one.loss_error = losses[g].standard_error;
      one.error_growth = losses[g].growth;
    }
    one.strength = strength_of(members, features);
    if (one_output && features.size() == 1 &&
        source.model.estimator().encodings()[features.front()].kind == Encoding::standard)
      add_slope(members, features.front(), one);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace postrider::internal
