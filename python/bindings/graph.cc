// Factor graphs. Variables and factors are numbers here; postrider.graph gives them their clothes.
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <map>

#include "bindings.h"
#include "message_arrays.h"
#include "names.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::python {
namespace {

using Progress = std::function<bool(const graph::Record&)>;

graph::Schedule::Kind kind_by_name(std::string_view name) {
  constexpr Names<graph::Schedule::Kind, 3> kNames{{{"tree", graph::Schedule::Kind::tree},
                                                    {"sweeps", graph::Schedule::Kind::sweeps},
                                                    {"residual", graph::Schedule::Kind::residual}}};
  return by_name("schedule", name, kNames);
}

graph::ImproperPolicy policy_by_name(std::string_view name) {
  constexpr Names<graph::ImproperPolicy, 3> kNames{{{"refuse", graph::ImproperPolicy::refuse},
                                                    {"skip", graph::ImproperPolicy::skip},
                                                    {"damp", graph::ImproperPolicy::damp}}};
  return by_name("policy", name, kNames);
}

// Only one call at a time may be inside of a graph: while a run has let the interpreter go, another
// thread, or the run's own Python factor, must not touch it.
class Graph {
 public:
  template <class Call>
  auto use(Call&& call) {
    const Turn turn(busy_);
    return call(graph_);
  }

  template <class Call>
  auto use_without_interpreter(Call&& call) {
    return use([&](graph::FactorGraph& graph) {
      const nb::gil_scoped_release release;
      return call(graph);
    });
  }

 private:
  struct Turn {
    std::atomic<bool>& busy;
    explicit Turn(std::atomic<bool>& flag) : busy(flag) {
      if (busy.exchange(true))
        throw Error(
            "this graph is running: until the run returns, neither another thread nor a factor of "
            "the graph may use it");
    }
    ~Turn() { busy = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
  };

  graph::FactorGraph graph_;
  std::atomic<bool> busy_ = false;
};

// Lets Python see to its signals, Ctrl-C above all, which may raise.
Progress with_signals(Progress progress) {
  return [progress = std::move(progress)](const graph::Record& record) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return !progress || progress(record);
  };
}

graph::Record run(Graph& self, const std::string& kind, std::size_t limit, double tolerance,
                  double damping, Progress progress, unsigned threads) {
  const graph::Schedule schedule{
      kind_by_name(kind), limit, tolerance, damping, with_signals(std::move(progress)), threads};
  return self.use_without_interpreter(
      [&](graph::FactorGraph& graph) { return graph.run(schedule); });
}

// From plates that follow each other: one, or one for each row.
graph::Record send_plates(Graph& self, std::uint32_t first, std::uint32_t plates,
                          std::size_t edge) {
  return self.use_without_interpreter([&](graph::FactorGraph& graph) {
    graph::Record record;
    for (std::uint32_t row = 0; row < plates; ++row) graph.send_plate({first + row}, edge, record);
    return record;
  });
}

using Table2d = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A factor for each row, with parameters of its own: row by row of each of these arrays.
std::pair<std::uint32_t, std::shared_ptr<const graph::Factor>> add_rows(
    Graph& self, const std::string& name, const std::map<std::string, Table2d>& parameters,
    const Indices& variables) {
  const std::size_t rows = parameters.begin()->second.shape(0);
  const std::size_t edges = variables.shape(0) / rows;
  std::shared_ptr<const graph::Factor> first_factor;
  std::uint32_t first = 0;
  self.use([&](graph::FactorGraph& graph) {
    std::vector<graph::Variable> own(edges);
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<graph::Parameter> values;
      for (const auto& [parameter, of_rows] : parameters) {
        const double* begin = of_rows.data() + row * of_rows.shape(1);
        values.push_back({parameter, {begin, begin + of_rows.shape(1)}});
      }
      const std::shared_ptr<const graph::Factor> factor =
          graph::make_factor(name, std::move(values));
      for (std::size_t edge = 0; edge < edges; ++edge) own[edge] = {variables(row * edges + edge)};
      const std::uint32_t index = graph.add_plate(factor, own).index;
      if (row > 0) continue;
      first = index;
      first_factor = factor;
    }
  });
  return {first, first_factor};
}

std::uint32_t add_plate(Graph& self, std::shared_ptr<const graph::Factor> factor,
                        const Indices& variables) {
  std::vector<graph::Variable> rows(variables.shape(0));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {variables(i)};
  return self.use(
      [&](graph::FactorGraph& graph) { return graph.add_plate(std::move(factor), rows).index; });
}

void set_prior(Graph& self, const Indices& variables, const Doubles& tau, const Doubles& rho) {
  expect_length("tau", tau.shape(0), variables.shape(0));
  expect_length("rho", rho.shape(0), variables.shape(0));
  self.use([&](graph::FactorGraph& graph) {
    for (std::size_t i = 0; i < variables.shape(0); ++i)
      graph.set_prior({variables(i)}, gaussian_at(tau, rho, i));
  });
}

void observe(Graph& self, const Indices& variables, const Doubles& values) {
  expect_length("values", values.shape(0), variables.shape(0));
  self.use([&](graph::FactorGraph& graph) {
    for (std::size_t i = 0; i < variables.shape(0); ++i) graph.observe({variables(i)}, values(i));
  });
}

void forget(Graph& self, const Indices& variables) {
  self.use([&](graph::FactorGraph& graph) {
    for (std::size_t i = 0; i < variables.shape(0); ++i) graph.forget({variables(i)});
  });
}

void absorb(Graph& self, const Indices& variables) {
  self.use([&](graph::FactorGraph& graph) {
    for (std::size_t i = 0; i < variables.shape(0); ++i) graph.absorb({variables(i)});
  });
}

NaturalPair marginals(Graph& self, const Indices& variables) {
  const std::size_t count = variables.shape(0);
  NaturalRoom out(count);
  self.use([&](const graph::FactorGraph& graph) {
    for (std::size_t i = 0; i < count; ++i) out.set(i, graph.marginal({variables(i)}));
  });
  return out.release({count});
}

// What `what` says of an edge, for the factors of a plate from `first` on.
NaturalPair of_rows(Graph& self, std::uint32_t first, std::uint32_t rows, std::size_t edge,
                    Gaussian (graph::FactorGraph::*what)(graph::FactorNode, std::size_t) const) {
  NaturalRoom out(rows);
  self.use([&](const graph::FactorGraph& graph) {
    for (std::uint32_t row = 0; row < rows; ++row) out.set(row, (graph.*what)({first + row}, edge));
  });
  return out.release({rows});
}

void add_record(nb::module_& m) {
  nb::class_<graph::Record>(m, "Record", R"(What happened during a run.

Attributes
----------
messages : int
    How many were sent.
converged : bool
    Whether the changes fell below the tolerance; always true for one pass over a tree.
change : list of float
    The largest change of a message per pass or sweep (residual schedule: per message), measured
    against the belief's precision and standard deviation.
events : dict
    Names of guards that fired while messages were formed, and how often.
improper, skipped, damped : int
    Messages that could not be used, and what the policy did about them.
improper_edges : list of str
    The first few, as ``factor -> variable``.
)")
      .def_ro("messages", &graph::Record::messages)
      .def_ro("converged", &graph::Record::converged)
      .def_ro("change", &graph::Record::change)
      .def_prop_ro("events",
                   [](const graph::Record& self) {
                     nb::typed<nb::dict, nb::str, nb::int_> out;
                     for (std::size_t i = 1; i < graph::kEventCount; ++i) {
                       const std::string name(to_string(static_cast<graph::Event>(i)));
                       if (self.events[i] > 0) out[nb::str(name.c_str())] = self.events[i];
                     }
                     return out;
                   })
      .def_ro("improper", &graph::Record::improper)
      .def_ro("skipped", &graph::Record::skipped)
      .def_ro("damped", &graph::Record::damped)
      .def_ro("improper_edges", &graph::Record::improper_edges)
      .def("__repr__", [](const graph::Record& self) {
        return nb::str("Record(messages={}, converged={})").format(self.messages, self.converged);
      });
}

}  // namespace

void add_graph(nb::module_& m) {
  add_record(m);
  nb::class_<Graph>(m, "Graph")
      .def(nb::init<>())
      .def(
          "add_variable",
          [](Graph& self, std::string name) {
            return self.use([&](graph::FactorGraph& graph) {
              return graph.add_variable(std::move(name)).index;
            });
          },
          nb::arg("name"))
      .def(
          "add_variables",
          [](Graph& self, std::size_t count) {
            return self.use(
                [&](graph::FactorGraph& graph) { return graph.add_variables(count).index; });
          },
          nb::arg("count"))
      .def("add_plate", add_plate, nb::arg("factor"), nb::arg("variables"))
      .def("add_rows", add_rows, nb::arg("name"), nb::arg("parameters"), nb::arg("variables"))
      .def("send_plates", send_plates, nb::arg("first"), nb::arg("plates"), nb::arg("edge"))
      .def(
          "remove",
          [](Graph& self, std::uint32_t factor) {
            self.use([&](graph::FactorGraph& graph) { graph.remove({factor}); });
          },
          nb::arg("factor"))
      .def("set_prior", set_prior, nb::arg("variables"), nb::arg("tau"), nb::arg("rho"))
      .def("observe", observe, nb::arg("variables"), nb::arg("values"))
      .def("forget", forget, nb::arg("variables"))
      .def(
          "set_rule",
          [](Graph& self, std::uint32_t factor, std::size_t edge, const std::string& rule) {
            self.use([&](graph::FactorGraph& graph) {
              graph.set_rule({factor}, edge, rule_by_name(rule));
            });
          },
          nb::arg("factor"), nb::arg("edge"), nb::arg("rule"))
      .def(
          "set_policy",
          [](Graph& self, std::uint32_t factor, const std::string& policy) {
            self.use([&](graph::FactorGraph& graph) {
              graph.set_policy({factor}, policy_by_name(policy));
            });
          },
          nb::arg("factor"), nb::arg("policy"))
      .def("run", run, nb::arg("kind"), nb::arg("limit"), nb::arg("tolerance"), nb::arg("damping"),
           nb::arg("progress").none(), nb::arg("threads"))
      .def(
          "update",
          [](Graph& self, double tolerance) {
            return self.use_without_interpreter(
                [&](graph::FactorGraph& graph) { return graph.update(tolerance); });
          },
          nb::arg("tolerance"))
      .def("absorb", absorb, nb::arg("variables"))
      .def("reset", [](Graph& self) { self.use([](graph::FactorGraph& graph) { graph.reset(); }); })
      .def("marginals", marginals, nb::arg("variables"))
      .def(
          "messages",
          [](Graph& self, std::uint32_t first, std::uint32_t rows, std::size_t edge) {
            return of_rows(self, first, rows, edge, &graph::FactorGraph::message);
          },
          nb::arg("first"), nb::arg("rows"), nb::arg("edge"))
      .def(
          "incoming",
          [](Graph& self, std::uint32_t first, std::uint32_t rows, std::size_t edge) {
            return of_rows(self, first, rows, edge, &graph::FactorGraph::incoming);
          },
          nb::arg("first"), nb::arg("rows"), nb::arg("edge"))
      .def("log_evidence",
           [](Graph& self) {
             return self.use_without_interpreter(
                 [](const graph::FactorGraph& graph) { return graph.log_evidence(); });
           })
      .def("to_graphviz",
           [](Graph& self) {
             return self.use([](const graph::FactorGraph& graph) { return graph.to_graphviz(); });
           })
      .def_prop_ro(
          "variable_count",
          [](Graph& self) {
            return self.use([](const graph::FactorGraph& graph) { return graph.variable_count(); });
          })
      .def_prop_ro(
          "factor_count",
          [](Graph& self) {
            return self.use([](const graph::FactorGraph& graph) { return graph.factor_count(); });
          })
      .def_prop_ro(
          "edge_count",
          [](Graph& self) {
            return self.use([](const graph::FactorGraph& graph) { return graph.edge_count(); });
          })
      .def_prop_ro("memory_bytes", [](Graph& self) {
        return self.use([](const graph::FactorGraph& graph) { return graph.memory_bytes(); });
      });
}

}  // namespace postrider::python
