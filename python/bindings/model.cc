// Models as plates of numbers; postrider.model has the expressions that people write.
#include "postrider/graph/model.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "arrays.h"
#include "bindings.h"
#include "postrider/error.h"
#include "postrider/graph/hidden_states.h"

namespace postrider::python {
namespace nb = nanobind;

namespace {

using graph::Model;
using Numbers = Given<double>;
using Indices = Given<std::uint32_t>;

Model::Combinations combinations(const Indices& variables, const Numbers& weights,
                                 std::size_t width) {
  return {span_of(variables), span_of(weights), width};
}

Numpy<double> copy_of(std::span<const double> values) {
  return numpy_of(std::vector<double>(values.begin(), values.end()), {values.size()});
}

// log_f(rows, z): z of shape (rows, nodes, edges) gives an array of shape (rows, nodes).
graph::LogDensityOfRows log_density_of(nb::object log_f, std::size_t edges) {
  return [log_f = std::move(log_f), edges](std::span<const std::uint32_t> rows, std::size_t nodes,
                                           std::span<const double> z, std::span<double> out) {
    const nb::gil_scoped_acquire acquire;
    const nb::object answer =
        log_f(numpy_of(std::vector<std::uint32_t>(rows.begin(), rows.end()), {rows.size()}),
              numpy_of(std::vector<double>(z.begin(), z.end()), {rows.size(), nodes, edges}));
    const auto values = nb::cast<Numbers>(answer);
    if (values.size() != out.size())
      throw InvalidArgument("density: log_f must return an array of shape (rows, nodes), " +
                            std::to_string(out.size()) + " numbers; it returned " +
                            std::to_string(values.size()));
    std::memcpy(out.data(), values.data(), out.size() * sizeof(double));
  };
}

// log_f(points): of shape (points, variables) gives one number for each point.
std::function<void(std::span<const double>, std::span<double>)> log_density_at(
    nb::object log_f, std::size_t variables) {
  return
      [log_f = std::move(log_f), variables](std::span<const double> points, std::span<double> out) {
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        const auto values = nb::cast<Numbers>(log_f(
            numpy_of(std::vector<double>(points.begin(), points.end()), {out.size(), variables})));
        std::memcpy(out.data(), values.data(), out.size() * sizeof(double));
      };
}

std::string_view word_of(Model::Verdict verdict) {
  if (verdict == Model::Verdict::certified) return "certified";
  return verdict == Model::Verdict::wrong ? "wrong" : "not certified";
}

Model::Report infer(Model& model, std::size_t limit, double tolerance) {
  Model::Options options{limit, tolerance, [](const Model::Report&) {
                           const nb::gil_scoped_acquire acquire;
                           if (PyErr_CheckSignals() != 0) throw nb::python_error();
                           return true;
                         }};
  const nb::gil_scoped_release release;
  return model.infer(options);
}

Model::Nodes at_nodes(const nb::callable& log_density, const Numbers& start, const Numbers& scale) {
  return Model::at_nodes(
      [&](std::span<const double> g) { return nb::cast<double>(log_density(copy_of(g))); },
      span_of(start), span_of(scale));
}

}  // namespace

void add_plate_model(nb::module_& module) {
  nb::class_<Model::Report>(module, "ModelReport")
      .def_ro("sweeps", &Model::Report::sweeps)
      .def_ro("converged", &Model::Report::converged)
      .def_ro("change", &Model::Report::change)
      .def_ro("held", &Model::Report::held)
      .def_ro("kept", &Model::Report::kept)
      .def_ro("damped", &Model::Report::damped);
  nb::class_<Model::Check>(module, "ModelCheck")
      .def_ro("draws", &Model::Check::draws)
      .def_ro("effective_draws", &Model::Check::effective_draws)
      .def_ro("pareto_k", &Model::Check::pareto_k)
      .def_ro("chains", &Model::Check::chains)
      .def_ro("steps", &Model::Check::steps)
      .def_ro("can_tell", &Model::Check::can_tell)
      .def_prop_ro("verdict",
                   [](const Model::Check& self) { return std::string(word_of(self.verdict)); })
      .def_ro("log_evidence", &Model::Check::log_evidence)
      .def_ro("log_evidence_error", &Model::Check::log_evidence_error)
      .def_prop_ro(
          "means", [](const Model::Check& self) { return copy_of(self.means); },
          nb::rv_policy::move)
      .def_prop_ro(
          "deviations", [](const Model::Check& self) { return copy_of(self.deviations); },
          nb::rv_policy::move)
      .def_prop_ro(
          "mean_errors", [](const Model::Check& self) { return copy_of(self.mean_errors); },
          nb::rv_policy::move)
      .def_prop_ro(
          "deviation_errors",
          [](const Model::Check& self) { return copy_of(self.deviation_errors); },
          nb::rv_policy::move);
  nb::class_<Model::Nodes>(module, "ModelNodes")
      .def_ro("nodes", &Model::Nodes::nodes)
      .def_ro("evaluation", &Model::Nodes::evaluation)
      .def_ro("log_mass", &Model::Nodes::log_mass)
      .def_ro("converged", &Model::Nodes::converged)
      .def_ro("mode", &Model::Nodes::mode)
      .def_ro("deviations", &Model::Nodes::deviations)
      .def_ro("evaluations", &Model::Nodes::evaluations)
      .def_prop_ro(
          "weights", [](const Model::Nodes& self) { return copy_of(self.weights); },
          nb::rv_policy::move);

  module.def("state_beliefs", [](const Numbers& log_likelihoods, const Numbers& initial,
                                 const Numbers& transition) {
    graph::StateBeliefs found =
        graph::state_beliefs({span_of(log_likelihoods), span_of(initial), span_of(transition)});
    const std::size_t size = found.probabilities.size(), steps = found.most_probable_path.size();
    return nb::make_tuple(found.log_evidence, numpy_of(std::move(found.probabilities), {size}),
                          numpy_of(std::vector<std::int64_t>(found.most_probable_path.begin(),
                                                             found.most_probable_path.end()),
                                   {steps}));
  });
  nb::class_<Model>(module, "PlateModel")
      .def(nb::init<>())
      .def("add_variables", &Model::add_variables)
      .def("variable_count", &Model::variable_count)
      .def("add_gaussian",
           [](Model& self, const Indices& variables, const Numbers& weights, std::size_t width,
              const Numbers& targets, const Numbers& deviations) {
             return self.add_gaussian(combinations(variables, weights, width), span_of(targets),
                                      span_of(deviations));
           })
      .def("add_block",
           [](Model& self, const Indices& variables, std::size_t width, const Numbers& precision,
              const Numbers& means, const Numbers& log_scales) {
             return self.add_block(span_of(variables), width, span_of(precision), span_of(means),
                                   span_of(log_scales));
           })
      .def("add_likelihood",
           [](Model& self, const std::string& name, const Indices& variables,
              const Numbers& weights, std::size_t width, const Numbers& y,
              const Numbers& parameters, const Numbers& second, const Numbers& offsets) {
             return self.add_likelihood(
                 name, combinations(variables, weights, width),
                 {span_of(y), span_of(parameters), span_of(second), span_of(offsets)});
           })
      .def("add_density",
           [](Model& self, nb::object log_f, std::size_t edges, const Indices& variables,
              const Numbers& weights, std::size_t width, bool is_log_concave) {
             return self.add_density(log_density_of(std::move(log_f), edges), edges,
                                     combinations(variables, weights, width), is_log_concave);
           })
      .def("change_gaussian",
           [](Model& self, std::size_t plate, const Numbers& weights, const Numbers& targets,
              const Numbers& deviations) {
             self.change_gaussian(plate, span_of(weights), span_of(targets), span_of(deviations));
           })
      .def("change_block",
           [](Model& self, std::size_t plate, const Numbers& precision, const Numbers& means,
              const Numbers& log_scales) {
             self.change_block(plate, span_of(precision), span_of(means), span_of(log_scales));
           })
      .def("infer", &infer)
      .def("forget_messages", &Model::forget_messages)
      .def("remove", &Model::remove)
      .def("messages",
           [](const Model& self, std::size_t plate) { return copy_of(self.messages(plate)); })
      .def("start_from", [](Model& self, std::size_t plate,
                            const Numbers& messages) { self.start_from(plate, span_of(messages)); })
      .def("means", [](const Model& self) { return copy_of(self.means()); })
      .def("variances", [](const Model& self) { return copy_of(self.variances()); })
      .def("variances_of",
           [](const Model& self, const Indices& variables, const Numbers& weights,
              std::size_t width) {
             std::vector<double> found = self.variances_of(combinations(variables, weights, width));
             const std::size_t rows = found.size();
             return numpy_of(std::move(found), {rows});
           })
      .def("covariance", &Model::covariance)
      .def("log_evidence", &Model::log_evidence)
      .def("draws",
           [](const Model& self, std::size_t count, std::uint64_t seed) {
             return numpy_of(self.draws(count, seed), {count, self.variable_count()});
           })
      .def(
          "check",
          [](const Model& self, std::size_t draws, std::uint64_t seed, const Indices& variables,
             std::vector<std::size_t> without, nb::object also) {
            Model::CheckOptions options{draws, seed, {}, std::move(without), {}};
            const auto judged = span_of(variables);
            options.variables.assign(judged.begin(), judged.end());
            if (!also.is_none())
              options.also = log_density_at(std::move(also), self.variable_count());
            const nb::gil_scoped_release release;
            return self.check(options);
          },
          nb::arg("draws"), nb::arg("seed"), nb::arg("variables"), nb::arg("without"),
          nb::arg("also").none())
      .def_static("likelihoods", &Model::likelihoods)
      .def_static("at_nodes", &at_nodes);
}

}  // namespace postrider::python
