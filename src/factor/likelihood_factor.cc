#include "factor/likelihood_factor.h"

#include <algorithm>
#include <utility>

#include "factor/likelihoods.h"
#include "factor/parameters.h"
#include "factor/site_factor.h"

namespace postrider::internal {
namespace {

// probit is this one in closed form.
bool is_factor(const LikelihoodInfo& of) { return of.name != "bernoulli_probit"; }

// So that a factor can be had from its name alone: one trial, scales of 1, and tails that have a variance.
double usual(std::string_view parameter) { return parameter == "degrees_of_freedom" ? 4 : 1; }

std::vector<double> read(ParameterReader& reader, std::string_view parameter) {
  if (parameter.empty()) return {};
  if (parameter == "cuts") return reader.numbers(parameter, {0});
  return {reader.number(parameter, usual(parameter))};
}

FactorInfo described(const LikelihoodInfo& of) {
  FactorInfo out{std::string(of.name), std::string(of.formula), FactorKind::density, {}};
  if (of.edges == 1)
    out.edges = {tilted_edge("z")};
  else
    out.edges = {tilted_edge("u"), tilted_edge("v")};
  return out;
}

}  // namespace

std::vector<std::string> likelihood_factor_names() {
  std::vector<std::string> out;
  for (const LikelihoodInfo& of : likelihoods())
    if (is_factor(of)) out.emplace_back(of.name);
  return out;
}

std::unique_ptr<Factor> make_likelihood_factor(std::string_view name,
                                               std::vector<Parameter> parameters) {
  const auto known = likelihoods();
  const auto found = std::ranges::find(known, name, &LikelihoodInfo::name);
  if (found == known.end() || !is_factor(*found)) return nullptr;
  ParameterReader reader(name, std::move(parameters));
  Observations data;
  data.y = {reader.number("y", 1)};
  data.parameters = read(reader, found->parameter);
  data.second_parameters = read(reader, found->second_parameter);
  reader.finish();
  return std::make_unique<SiteFactor>(
      described(*found),
      likelihood(name, std::move(data), reader.field("y"), reader.field(""), Nodes::fine));
}

}  // namespace postrider::internal
