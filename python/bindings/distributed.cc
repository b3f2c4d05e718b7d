#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "estimators.h"
#include "postrider/distributed/parts.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;

std::span<const std::byte> span_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

nb::bytes bytes_of(const distributed::ByteString& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

std::vector<distributed::ByteString> byte_strings(const std::vector<nb::bytes>& given) {
  std::vector<distributed::ByteString> out;
  for (const nb::bytes& each : given) {
    const std::span<const std::byte> bytes = span_of(each);
    out.emplace_back(bytes.begin(), bytes.end());
  }
  return out;
}

Numpy<std::int64_t> array_of(std::vector<std::int64_t> values) {
  const std::size_t size = values.size();
  return numpy_of(std::move(values), {size});
}

distributed::DistributedOptions options_of(double rows_in_flight, const std::string& checkpoint,
                                           std::size_t checkpoint_every, bool resume,
                                           const std::vector<std::size_t>& forget,
                                           const std::vector<std::string>& merge) {
  distributed::DistributedOptions out;
  out.rows_in_flight = rows_in_flight;
  out.checkpoint = checkpoint;
  out.checkpoint_every = checkpoint_every;
  out.resume = resume;
  out.forget = forget;
  out.merge = merge;
  return out;
}

void hold_numbers(distributed::ShardHolder& self, std::size_t shard, const Given<double>& inputs,
                  const Given<double>& targets, const std::optional<Given<double>>& weights) {
  self.hold(shard, {inputs_of(inputs), python::span_of(targets), python::span_of(weights)});
}

void hold_labels(distributed::ShardHolder& self, std::size_t shard, const Given<double>& inputs,
                 const Given<std::size_t>& labels, const std::optional<Given<double>>& weights) {
  const std::vector<double> classes = numbers_of(labels);
  self.hold(shard, {inputs_of(inputs), classes, python::span_of(weights)});
}

std::pair<Numpy<std::int64_t>, nb::bytes> run(distributed::ShardHolder& self, const nb::bytes& step,
                                              unsigned threads) {
  distributed::ShardHolder::Answer answer;
  {
    const std::span<const std::byte> bytes = span_of(step);
    const nb::gil_scoped_release released;
    answer = self.run(bytes, threads);
  }
  return {array_of(std::move(answer.sums)), bytes_of(answer.results)};
}

// The driver, and the model that it gives what was learned.
template <class Model>
class Driving {
 public:
  Driving(Guarded<Model>& model, double rows_in_flight, const std::string& checkpoint,
          std::size_t checkpoint_every, bool resume, const std::vector<std::size_t>& forget,
          const std::vector<std::string>& merge, const std::vector<nb::bytes>& summaries)
      : model_(model),
        driver_(model.while_locked(),
                options_of(rows_in_flight, checkpoint, checkpoint_every, resume, forget, merge),
                byte_strings(summaries)) {}

  distributed::DistributedDriver& driver() { return driver_; }

  nb::dict conclude(std::size_t rows) {
    distributed::DistributedReport report;
    {
      const auto lock = model_.locked();
      report = driver_.conclude();
      model_.fitted(rows, report.fits);
    }
    nb::dict out;
    out["rounds"] = report.rounds;
    out["taken_back"] = report.taken_back;
    out["halved"] = report.halved;
    out["rows_in_flight"] = report.rows_in_flight;
    return out;
  }

 private:
  Guarded<Model>& model_;
  distributed::DistributedDriver driver_;
};

template <class Model>
void add_driver(nb::module_& m, const char* name) {
  using Self = Driving<Model>;
  nb::class_<Self>(m, name, "Who holds the sum of all messages, and tells holders what to do.")
      .def(nb::init<Guarded<Model>&, double, const std::string&, std::size_t, bool,
                    const std::vector<std::size_t>&, const std::vector<std::string>&,
                    const std::vector<nb::bytes>&>(),
           nb::arg("model"), nb::arg("rows_in_flight"), nb::arg("checkpoint"),
           nb::arg("checkpoint_every"), nb::arg("resume"), nb::arg("forget"), nb::arg("merge"),
           nb::arg("summaries"), nb::keep_alive<1, 2>())
      .def(
          "warnings",
          [](Self& self, const std::vector<std::string>& names) {
            return self.driver().warnings(names);
          },
          nb::arg("names"))
      .def("next", [](Self& self) { return bytes_of(self.driver().next()); })
      .def("accept",
           [](Self& self, const Given<std::int64_t>& sums, const std::vector<nb::bytes>& results) {
             self.driver().accept(python::span_of(sums), byte_strings(results));
           })
      .def("take_reports", [](Self& self) { return self.driver().take_reports(); })
      .def("cancel", [](Self& self) { self.driver().cancel(); })
      .def_prop_ro("epochs", [](Self& self) { return self.driver().epochs(); })
      .def_prop_ro("is_checkpoint_due",
                   [](Self& self) { return self.driver().is_checkpoint_due(); })
      .def("write_manifest", [](Self& self) { self.driver().write_manifest(); })
      .def("checkpoint", [](Self& self) { return self.driver().checkpoint(); })
      .def("resume",
           [](Self& self, const Given<std::int64_t>& sums) {
             self.driver().resume(python::span_of(sums));
           })
      .def("merge",
           [](Self& self, const Given<std::int64_t>& sums) {
             self.driver().merge(python::span_of(sums));
           })
      .def("forget",
           [](Self& self, const std::vector<std::size_t>& shards, const Given<std::int64_t>& sums) {
             self.driver().forget(shards, python::span_of(sums));
           })
      .def("conclude", &Self::conclude);
}

}  // namespace

void add_distributed(nb::module_& m) {
  nb::class_<distributed::ShardHolder>(m, "ShardHolder",
                                       "Rows that stay together, and what they have said.")
      .def("__init__",
           [](distributed::ShardHolder* self, const Guarded<Regressor>& model) {
             new (self) distributed::ShardHolder(model.unguarded());
           })
      .def("__init__",
           [](distributed::ShardHolder* self, const Guarded<Classifier>& model) {
             new (self) distributed::ShardHolder(model.unguarded());
           })
      .def("hold_numbers", hold_numbers, nb::arg("shard"), nb::arg("inputs"), nb::arg("targets"),
           nb::arg("weights").none())
      .def("hold_labels", hold_labels, nb::arg("shard"), nb::arg("inputs"), nb::arg("labels"),
           nb::arg("weights").none())
      .def("holds", &distributed::ShardHolder::holds)
      .def("drop", &distributed::ShardHolder::drop)
      .def("summary", [](const distributed::ShardHolder& self,
                         std::size_t shard) { return bytes_of(self.summary(shard)); })
      .def("prepare",
           [](distributed::ShardHolder& self, const std::vector<nb::bytes>& summaries) {
             self.prepare(byte_strings(summaries));
           })
      .def("run", run, nb::arg("step"), nb::arg("threads") = 1)
      .def("write", [](const distributed::ShardHolder& self, const std::string& folder,
                       std::uint64_t epoch) { self.write(folder, epoch); })
      .def("load", [](distributed::ShardHolder& self, const std::string& folder,
                      std::uint64_t epoch) { return array_of(self.load(folder, epoch)); })
      .def("merge",
           [](distributed::ShardHolder& self, const std::vector<std::string>& folders) {
             return array_of(self.merge(folders));
           })
      .def("forget", [](distributed::ShardHolder& self, std::size_t shard) {
        return array_of(self.forget(shard));
      });
  add_driver<Regressor>(m, "RegressorDriver");
  add_driver<Classifier>(m, "ClassifierDriver");
}

}  // namespace postrider::python
