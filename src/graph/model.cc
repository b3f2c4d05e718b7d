#include "postrider/graph/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "factor/density_site.h"
#include "factor/likelihoods.h"
#include "graph/model_state.h"
#include "graph/nodes.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;

namespace {

constexpr double kLeastPrecision = -0.95;  // of densities that are not concave

std::vector<double> copied(std::span<const double> values) {
  return {values.begin(), values.end()};
}

void check_finite(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      reject(fmt::format("{}[{}]", field, i), values[i], "must be finite");
}

// One number for all rows, or one for each.
std::vector<double> for_each_row(std::string_view field, std::span<const double> values,
                                 std::size_t rows) {
  check_finite(field, values);
  if (values.size() == rows) return copied(values);
  if (values.size() != 1)
    reject(field, values.size(),
           fmt::format("must be one number, or one for each of the {} rows", rows));
  return std::vector<double>(rows, values[0]);
}

std::vector<double> precisions_of(std::span<const double> deviations, std::size_t rows) {
  std::vector<double> out = for_each_row("deviations", deviations, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const double precision = 1 / (out[row] * out[row]);
    if (!(out[row] > 0 && std::isfinite(precision)))
      reject(fmt::format("deviations[{}]", row), out[row], "must be above 0");
    out[row] = precision;
  }
  return out;
}

void check_variables(std::span<const std::uint32_t> variables, std::size_t width,
                     std::size_t count) {
  if (width == 0) throw InvalidArgument("variables: a row needs at least one");
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i] >= count)
      reject(fmt::format("variables[{}]", i), variables[i],
             fmt::format("must be below {}, the number of variables", count));
}

LinearTerms terms_of(const Model::Combinations& z, std::size_t rows, std::size_t edges,
                     std::size_t count) {
  check_variables(z.variables, z.width, count);
  if (z.variables.size() != z.width && z.variables.size() != rows * z.width)
    reject("variables", z.variables.size(),
           fmt::format("must be {} for all rows, or {} of them", z.width, rows * z.width));
  if (z.weights.size() != rows * edges * z.width)
    reject("weights", z.weights.size(),
           fmt::format("must be {}: one for each row, edge and variable", rows * edges * z.width));
  check_finite("weights", z.weights);
  return {rows, z.width, edges, {z.variables.begin(), z.variables.end()}, copied(z.weights)};
}

// Numbers of a block: once, or for each row.
std::vector<double> of_block(std::string_view field, std::span<const double> values,
                             std::size_t size, std::size_t rows) {
  if (values.size() != size && values.size() != size * rows)
    reject(field, values.size(), fmt::format("must be {} numbers, or {}", size, size * rows));
  check_finite(field, values);
  return copied(values);
}

}  // namespace

Model::Model() : state_(std::make_unique<State>()) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

std::uint32_t Model::add_variables(std::size_t count) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (count > kMost - state_->joint.size())
    reject("count", count, fmt::format("must leave the model with at most {} variables", kMost));
  const auto first = static_cast<std::uint32_t>(state_->joint.size());
  state_->changed().add_variables(count);
  return first;
}

std::size_t Model::variable_count() const { return state_->joint.size(); }

Model::Plate Model::add_gaussian(const Combinations& z, std::span<const double> targets,
                                 std::span<const double> deviations) {
  check_finite("targets", targets);
  GaussianTerms terms{terms_of(z, targets.size(), 1, state_->joint.size()), copied(targets),
                      precisions_of(deviations, targets.size())};
  return state_->added(PlateKind::gaussian, state_->changed().add_gaussian(std::move(terms)));
}

Model::Plate Model::add_block(std::span<const std::uint32_t> variables, std::size_t width,
                              std::span<const double> precision, std::span<const double> means,
                              std::span<const double> log_scales) {
  check_variables(variables, width, state_->joint.size());
  if (variables.size() % width != 0)
    reject("variables", variables.size(),
           fmt::format("must be a multiple of {}, the width", width));
  const std::size_t rows = variables.size() / width;
  BlockTerms terms{rows,
                   width,
                   {variables.begin(), variables.end()},
                   of_block("precision", precision, width * width, rows),
                   of_block("means", means, width, rows),
                   of_block("log_scales", log_scales, 1, rows)};
  return state_->added(PlateKind::block, state_->changed().add_block(std::move(terms)));
}

Model::Plate Model::add_likelihood(std::string_view name, const Combinations& z,
                                   const Observed& observed) {
  Observations data{copied(observed.y), copied(observed.parameters),
                    copied(observed.second_parameters), copied(observed.offsets)};
  const bool of_both =
      likelihood_info(name).edges == 2 && observed.offsets.size() == 2 * data.y.size();
  if (of_both) check_finite("offsets", data.offsets);
  if (!data.offsets.empty() && !of_both)
    data.offsets = for_each_row("offsets", observed.offsets, data.y.size());
  const std::size_t rows = data.y.size();
  std::shared_ptr<const SiteRule> rule = likelihood(name, std::move(data));
  LinearTerms terms = terms_of(z, rows, rule->edges(), state_->joint.size());
  return state_->added(PlateKind::sites,
                       state_->changed().add_sites(std::move(terms), std::move(rule)));
}

Model::Plate Model::add_density(LogDensityOfRows log_density, std::size_t edges,
                                const Combinations& z, bool is_log_concave) {
  if (edges < 1 || edges > kSmall) reject("edges", edges, "must be 1, 2 or 3");
  if (z.width == 0 || z.weights.size() % (edges * z.width) != 0)
    reject("weights", z.weights.size(), "must be one for each row, edge and variable");
  LinearTerms terms =
      terms_of(z, z.weights.size() / (edges * z.width), edges, state_->joint.size());
  return state_->added(PlateKind::sites,
                       state_->changed().add_sites(
                           std::move(terms), density_site(std::move(log_density), edges,
                                                          is_log_concave ? 0 : kLeastPrecision)));
}

std::vector<std::string> Model::likelihoods() {
  std::vector<std::string> out;
  for (const LikelihoodInfo& each : internal::likelihoods()) out.emplace_back(each.name);
  return out;
}

// What changes keeps its messages: they are where the next run starts.
void Model::change_gaussian(Plate plate, std::span<const double> weights,
                            std::span<const double> targets, std::span<const double> deviations) {
  const std::size_t number = state_->number_of(plate, PlateKind::gaussian, "add_gaussian()");
  GaussianTerms terms = state_->joint.gaussian(number);
  if (!weights.empty()) {
    if (weights.size() != terms.terms.weights.size())
      reject("weights", weights.size(),
             fmt::format("must be {}, as before", terms.terms.weights.size()));
    check_finite("weights", weights);
    terms.terms.weights = copied(weights);
  }
  if (!targets.empty()) {
    if (targets.size() != terms.targets.size())
      reject("targets", targets.size(), fmt::format("must be {}, as before", terms.targets.size()));
    check_finite("targets", targets);
    terms.targets = copied(targets);
  }
  if (!deviations.empty()) terms.precisions = precisions_of(deviations, terms.targets.size());
  state_->changed().gaussian(number) = std::move(terms);
}

void Model::change_block(Plate plate, std::span<const double> precision,
                         std::span<const double> means, std::span<const double> log_scales) {
  const std::size_t number = state_->number_of(plate, PlateKind::block, "add_block()");
  BlockTerms terms = state_->joint.block(number);
  if (!precision.empty())
    terms.precision = of_block("precision", precision, terms.width * terms.width, terms.rows);
  if (!means.empty()) terms.means = of_block("means", means, terms.width, terms.rows);
  if (!log_scales.empty()) terms.log_scales = of_block("log_scales", log_scales, 1, terms.rows);
  state_->changed().block(number) = std::move(terms);
}

void Model::remove(Plate plate) {
  const PlatePlace at = state_->place(plate);
  JointModel& joint = state_->changed();
  if (at.kind == PlateKind::gaussian) joint.remove_gaussian(at.number);
  if (at.kind == PlateKind::block) joint.remove_block(at.number);
  if (at.kind == PlateKind::sites) joint.remove_sites(at.number);
  state_->plates[plate].kind = PlateKind::removed;
}

Model::Report Model::infer(const Options& options) {
  if (!(options.tolerance > 0)) reject("tolerance", options.tolerance, "must be above 0");
  Report report = state_->changed().infer(options);
  if (!state_->joint.is_proper())
    throw InvalidArgument(
        "model: its factors leave a combination of the variables open; give each variable a prior");
  state_->is_inferred = true;
  return report;
}

void Model::forget_messages() { state_->changed().forget_messages(); }

std::vector<double> Model::messages(Plate plate) const {
  const PlatePlace& at = state_->place(plate);
  std::vector<double> out;
  if (at.kind != PlateKind::sites) return out;
  const JointModel& joint = state_->joint;
  const std::size_t edges = joint.site_terms(at.number).edges;
  for (const SiteMessage& message : joint.messages(at.number)) {
    out.insert(out.end(), message.tau.begin(), message.tau.begin() + edges);
    for (std::size_t e = 0; e < edges; ++e)
      for (std::size_t f = 0; f < edges; ++f) out.push_back(message.precision(e, f));
  }
  return out;
}

void Model::start_from(Plate plate, std::span<const double> messages) {
  const PlatePlace at = state_->place(plate);
  const std::size_t wanted = this->messages(plate).size();
  if (messages.size() != wanted)
    reject("messages", messages.size(), fmt::format("must be {} numbers", wanted));
  check_finite("messages", messages);
  if (at.kind != PlateKind::sites) return;
  const std::size_t edges = state_->joint.site_terms(at.number).edges;
  const double* next = messages.data();
  for (SiteMessage& message : state_->changed().messages(at.number)) {
    for (std::size_t e = 0; e < edges; ++e) message.tau[e] = *next++;
    for (std::size_t e = 0; e < edges; ++e)
      for (std::size_t f = 0; f < edges; ++f) message.precision(e, f) = *next++;
  }
}

double Model::mean(std::uint32_t variable) const {
  check_variables({&variable, 1}, 1, state_->joint.size());
  return means()[variable];
}
double Model::deviation(std::uint32_t variable) const {
  check_variables({&variable, 1}, 1, state_->joint.size());
  return std::sqrt(variances()[variable]);
}
std::span<const double> Model::means() const { return state_->inferred().mean(); }
std::span<const double> Model::variances() const { return state_->inferred().variances(); }
double Model::covariance(std::uint32_t a, std::uint32_t b) const {
  check_variables({&a, 1}, 1, state_->joint.size());
  check_variables({&b, 1}, 1, state_->joint.size());
  return state_->inferred().covariances_with(a)[b];
}

// a' Q^-1 a, by a solution for each row.
std::vector<double> Model::variances_of(const Combinations& z) const {
  const JointModel& joint = state_->inferred();
  if (z.width == 0) throw InvalidArgument("variables: a row needs at least one");
  const std::size_t rows = z.weights.size() / z.width;
  const LinearTerms terms = terms_of(z, rows, 1, joint.size());
  std::vector<double> out, solved(joint.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::span<const std::uint32_t> variables = terms.of_row(row);
    const std::span<const double> weights = terms.weights_of(row);
    std::fill(solved.begin(), solved.end(), 0.0);
    for (std::size_t k = 0; k < terms.width; ++k) solved[variables[k]] = weights[k];
    joint.solve(solved);
    double sum = 0;
    for (std::size_t k = 0; k < terms.width; ++k) sum += weights[k] * solved[variables[k]];
    out.push_back(sum);
  }
  return out;
}

double Model::log_evidence() const { return state_->inferred().log_evidence(); }

namespace {

// Each draw has a stream of its own: the first hundred are the same, however many follow.
void draw_one(const JointModel& joint, std::uint64_t seed, std::size_t which, std::span<double> x) {
  RandomStream random(seed, which);
  for (double& value : x) value = random.normal();
  joint.draw(x);
}

}  // namespace

std::vector<double> Model::draws(std::size_t count, std::uint64_t seed) const {
  const JointModel& joint = state_->inferred();
  std::vector<double> out(count * joint.size());
  for (std::size_t s = 0; s < count; ++s)
    draw_one(joint, seed, s, std::span(out).subspan(s * joint.size(), joint.size()));
  return out;
}

Model::Nodes Model::at_nodes(const std::function<double(std::span<const double>)>& log_density,
                             std::span<const double> start, std::span<const double> scale) {
  if (start.empty() || start.size() > kSmall)
    reject("start", start.size(), "must be one to three hyperparameters");
  if (scale.size() != start.size())
    reject("scale", scale.size(), fmt::format("must be {} numbers", start.size()));
  check_finite("start", start);
  for (const double each : scale)
    if (!(each > 0 && std::isfinite(each))) reject("scale", each, "must be above 0");
  Nodes found = hyperparameter_nodes(log_density, start, scale);
  if (found.nodes.empty())
    throw InvalidArgument(
        "hyperparameters: prior times evidence has no mode near the start, or no finite value "
        "there");
  return found;
}

}  // namespace postrider::graph
