// Factors: those of the library, a function of the user's, and classes written in Python.
#include "postrider/graph/factor.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings.h"
#include "message_arrays.h"
#include "names.h"
#include "postrider/graph/certify.h"
#include "python_factor.h"

namespace postrider::python {
namespace {

using SharedFactor = std::shared_ptr<const graph::Factor>;
using RuleRow = std::tuple<std::string, std::string, bool>;  // rule, claim, has_log_scale
// name, rules, exact_may_be_improper, kinks
using EdgeRow = std::tuple<std::string, std::vector<RuleRow>, bool, std::vector<double>>;

using SendCall = nb::typed<nb::callable, nb::object(...)>;
using EvaluateCall = nb::typed<nb::callable, double(std::vector<double>)>;

graph::FactorKind kind_by_name(std::string_view name) {
  constexpr Names<graph::FactorKind, 2> kNames{
      {{"density", graph::FactorKind::density},
       {"deterministic", graph::FactorKind::deterministic}}};
  return by_name("kind", name, kNames);
}

SharedFactor python_factor(std::string name, std::string formula, const std::string& kind,
                           const std::vector<EdgeRow>& edges, SendCall send,
                           EvaluateCall evaluate) {
  graph::FactorInfo info{std::move(name), std::move(formula), kind_by_name(kind), {}};
  if (edges.empty()) reject(info.name + ".edges", edges.size(), "must be at least one");
  for (const auto& [edge_name, rules, exact_may_be_improper, kinks] : edges) {
    graph::EdgeInfo edge{edge_name, {}, exact_may_be_improper, kinks};
    if (rules.empty())
      reject(info.name + "." + edge_name + ".rules", rules.size(), "must be at least one");
    for (const auto& [rule, claim, has_log_scale] : rules)
      edge.rules.push_back({rule_by_name(rule), claim_by_name(claim), has_log_scale});
    info.edges.push_back(std::move(edge));
  }
  return std::make_shared<PythonFactor>(std::move(info), std::move(send), std::move(evaluate));
}

// `log_density` takes points of shape (n, edges) and returns n logarithms.
SharedFactor make_density(const std::string& name, const std::vector<std::string>& edges,
                          std::function<nb::object(nb::object)> log_density) {
  const std::size_t count = edges.size();
  return graph::make_density(
      name, edges,
      [name, count, log_density = std::move(log_density)](std::span<const double> values,
                                                          std::span<double> out) {
        const nb::gil_scoped_acquire acquire;
        Room points(values.size());
        std::copy(values.begin(), values.end(), points.values.get());
        const auto answer =
            nb::cast<Doubles>(log_density(nb::cast(points.release({out.size(), count}))));
        if (answer.shape(0) != out.size())
          throw InvalidArgument(name + ": log_f returned " + std::to_string(answer.shape(0)) +
                                " numbers for " + std::to_string(out.size()) + " points");
        std::copy_n(answer.data(), out.size(), out.begin());
      });
}

std::vector<EdgeRow> edges_of(const graph::Factor& factor) {
  std::vector<EdgeRow> out;
  for (const graph::EdgeInfo& edge : factor.info().edges) {
    std::vector<RuleRow> rules;
    for (const graph::RuleInfo& rule : edge.rules)
      rules.emplace_back(to_string(rule.rule), to_string(rule.claim), rule.has_log_scale);
    out.emplace_back(edge.name, std::move(rules), edge.exact_may_be_improper, edge.kinks);
  }
  return out;
}

// tau, rho, log scale (NaN where there is none) and event of each row.
nb::tuple send_many(const graph::Factor& factor, std::size_t edge, const std::string& rule,
                    const Doubles& tau, const Doubles& rho) {
  const std::size_t arity = factor.info().edges.size(), rows = tau.shape(0) / arity;
  std::vector<Gaussian> incoming(tau.shape(0)), messages(rows);
  expect_length("rho", rho.shape(0), incoming.size());
  for (std::size_t i = 0; i < incoming.size(); ++i) incoming[i] = gaussian_at(tau, rho, i);
  std::vector<graph::Event> events(rows);
  Room log_scales(rows);
  factor.send_many(edge, rule_by_name(rule), incoming,
                   {messages, events, {log_scales.values.get(), rows}});
  NaturalRoom out(rows);
  std::vector<std::string> names(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    out.set(i, messages[i]);
    names[i] = to_string(events[i]);
  }
  return nb::make_tuple(out.tau.release({rows}), out.rho.release({rows}),
                        log_scales.release({rows}), names);
}

graph::Certificate certify_factor(const graph::Factor& factor, std::uint64_t seed,
                                  std::size_t configurations, std::size_t evaluations,
                                  double exactness_tolerance) {
  const nb::gil_scoped_release release;
  return graph::certify(factor, {seed, configurations, evaluations, exactness_tolerance});
}

std::vector<std::string> failures_of(const graph::Certificate& certificate) {
  std::vector<std::string> out;
  for (const graph::EdgeCertificate& edge : certificate.edges)
    for (const std::string& failure : edge.failures)
      out.push_back(edge.edge + " (" + std::string(to_string(edge.rule.rule)) + "): " + failure);
  return out;
}

}  // namespace

void add_factor(nb::module_& m) {
  nb::class_<graph::Factor>(m, "Factor")
      .def_prop_ro("name", [](const graph::Factor& self) { return self.info().name; })
      .def_prop_ro("formula", [](const graph::Factor& self) { return self.info().formula; })
      .def_prop_ro("kind",
                   [](const graph::Factor& self) {
                     return self.info().kind == graph::FactorKind::density ? "density"
                                                                           : "deterministic";
                   })
      .def_prop_ro("edges", edges_of)
      .def("send_many", send_many, nb::arg("edge"), nb::arg("rule"), nb::arg("tau"), nb::arg("rho"),
           nb::sig("def send_many(self, edge: int, rule: str, "
                   "tau: Annotated[NDArray[numpy.float64], dict(shape=(None,))], "
                   "rho: Annotated[NDArray[numpy.float64], dict(shape=(None,))]) -> "
                   "tuple[NDArray[numpy.float64], NDArray[numpy.float64], "
                   "NDArray[numpy.float64], list[str]]"))
      .def(
          "evaluate",
          [](const graph::Factor& self, const std::vector<double>& values) {
            return self.evaluate(values);
          },
          nb::arg("values"));

  m.def("factor_names", &graph::factor_names);
  m.def(
      "make_factor",
      [](const std::string& name,
         const std::vector<std::pair<std::string, std::vector<double>>>& parameters) {
        std::vector<graph::Parameter> given;
        for (const auto& [key, values] : parameters) given.push_back({key, values});
        return SharedFactor(graph::make_factor(name, std::move(given)));
      },
      nb::arg("name"), nb::arg("parameters"));
  m.def(
      "make_deterministic",
      [](std::string name, std::function<double(double)> g, std::vector<double> kinks) {
        return SharedFactor(
            graph::make_deterministic(std::move(name), std::move(g), std::move(kinks)));
      },
      nb::arg("name"), nb::arg("g"), nb::arg("kinks"));
  m.def(
      "make_deterministic_of_several",
      [](std::string name, std::function<double(std::vector<double>)> g,
         std::vector<std::string> inputs) {
        return SharedFactor(graph::make_deterministic(
            std::move(name),
            [g = std::move(g)](std::span<const double> x) {
              return g(std::vector<double>(x.begin(), x.end()));
            },
            std::move(inputs)));
      },
      nb::arg("name"), nb::arg("g"), nb::arg("inputs"));
  m.def("make_density", make_density, nb::arg("name"), nb::arg("edges"), nb::arg("log_density"));
  m.def("python_factor", python_factor, nb::arg("name"), nb::arg("formula"), nb::arg("kind"),
        nb::arg("edges"), nb::arg("send"), nb::arg("evaluate"));

  nb::class_<graph::Certificate>(m, "FactorCertificate")
      .def_prop_ro("passed", &graph::Certificate::passed)
      .def_prop_ro("failures", failures_of)
      .def("to_text", [](const graph::Certificate& self) { return to_text(self); })
      .def("to_json", [](const graph::Certificate& self) { return to_json(self); });
  m.def("certify_factor", certify_factor, nb::arg("factor"), nb::arg("seed"),
        nb::arg("configurations"), nb::arg("evaluations"), nb::arg("exactness_tolerance"));
}

}  // namespace postrider::python
