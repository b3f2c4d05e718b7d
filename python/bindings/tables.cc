// Tables and their models.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "arrays.h"
#include "arrow.h"
#include "bindings.h"
#include "estimators.h"
#include "postrider/budget.h"
#include "postrider/error.h"
#include "postrider/file.h"
#include "postrider/report.h"
#include "postrider/splits.h"
#include "postrider/table_builder.h"
#include "postrider/table_model.h"
#include "stream_watch.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

TableOptions::Format format_named(const std::string& name) {
  if (name == "csv") return TableOptions::Format::csv;
  if (name == "libsvm") return TableOptions::Format::libsvm;
  if (name != "infer") reject("format", name, "must be infer, csv or libsvm");
  return TableOptions::Format::infer;
}

TableModelOptions::Missing missing_named(const std::string& name) {
  if (name == "mean") return TableModelOptions::Missing::mean;
  if (name != "vague") reject("missing", name, "must be vague or mean");
  return TableModelOptions::Missing::vague;
}

char delimiter_named(const std::string& text) {
  if (text.size() > 1) reject("delimiter", text, "must be one character, or empty to infer it");
  return text.empty() ? '\0' : text[0];
}

TableReader open_table(nb::handle data, const Schema* schema, const TableOptions& options) {
  if (nb::isinstance<nb::str>(data)) {
    const auto path = nb::cast<std::string>(data);
    const nb::gil_scoped_release released;
    return schema == nullptr ? TableReader(path, options) : TableReader(path, *schema, options);
  }
  const ArrowCapsule capsule(data);
  const nb::gil_scoped_release released;
  return schema == nullptr ? read_arrow(capsule.stream(), options)
                           : read_arrow(capsule.stream(), *schema, options);
}

std::optional<Table> next_chunk(TableReader& reader) {
  Table chunk;
  const nb::gil_scoped_release released;
  if (!reader.next(chunk)) return {};
  return chunk;
}

using Model = Guarded<TableModel>;

// A copy of what one of a model's functions says.
template <class Result>
auto copied(const Model& model, Result (TableModel::*part)() const) {
  return model.read([&](const TableModel& each) { return std::decay_t<Result>((each.*part)()); });
}

// Which rows belong together: by a number for each, by the names in a column, or by the times in one; or none.
struct RowGroups {
  std::optional<Given<std::uint32_t>> numbers;
  std::string group, time;

  bool is_empty() const { return !numbers && group.empty() && time.empty(); }
  // The table's only key is such a column.
  std::vector<std::uint32_t> of(const Table& table) const {
    if (numbers) return {numbers->data(), numbers->data() + numbers->size()};
    if (!time.empty()) return groups_of_times(times_of(time, table.keys(0)));
    return group.empty() ? std::vector<std::uint32_t>() : groups_of_names(table.keys(0));
  }
  // As the command line has them, which makes the model again.
  std::vector<std::string> words() const {
    if (group.empty() && time.empty()) return {};
    const std::string option = time.empty() ? "--group" : "--time";
    const std::string& column = time.empty() ? group : time;
    if (column.starts_with('-')) return {option + "=" + column};
    return {option, column};
  }
};

// How large the table is, and whether each of its rows has a group, is known once it has been read.
TableModel train_whole(const std::string& memory_limit, const RowGroups& groups,
                       TableReader& reader, TableModelOptions options,
                       const TrainingCallbacks& callbacks) {
  Table all;
  for (Table chunk; reader.next(chunk);) all.append(chunk);
  if (!memory_limit.empty())
    options.estimator.training.store_budget = store_bytes(
        "memory_limit", memory_limit, cell_bytes(all), "update learns it in constant memory");
  return TableModel::train(all, options, callbacks, groups.of(all));
}

std::pair<Model, bool> train_epochs(TableReader& reader, const TableModelOptions& options,
                                    const std::string& memory_limit, const RowGroups& groups,
                                    double seconds, const nb::object& progress) {
  Watch watch;
  watch.end_after(seconds);
  std::optional<TableModel> model;
  const bool interrupted = watch.run(
      [&] {
        model = memory_limit.empty() && groups.is_empty()
                    ? TableModel::train(reader, options, watch.callbacks())
                    : train_whole(memory_limit, groups, reader, options, watch.callbacks());
      },
      progress);
  return {Model(std::move(*model)), interrupted};
}

std::pair<Model, bool> train_stream(TableReader& reader, const TableModelOptions& options,
                                    const nb::object& progress) {
  StreamWatch watch(progress);
  std::optional<TableModel> model;
  {
    const nb::gil_scoped_release released;
    model = TableModel::train_stream(
        reader, options,
        [&](const TableModel::StreamProgress& report) { return watch.after(report); });
  }
  return {Model(std::move(*model)), watch.interrupted()};
}

// Throws CorruptFile if the rows that were learned should not have been.
void expect_new_rows(const TableModel& model, const RowMonitor& rows) {
  const std::string doubts = model.doubts(rows.digest(), rows.repeated(), rows.warnings());
  if (!doubts.empty())
    throw CorruptFile(doubts +
                      " The model is as it was; anyway=True learns these rows all the same");
}

// Rows that are wrong, and rows that should not have been learned, leave the model as it was.
bool update_model(Model& self, TableReader& reader, const nb::object& progress,
                  const RowMonitor* rows) {
  StreamWatch watch(progress);
  self.replace([&](TableModel& model) {
    model.update(reader,
                 [&](const TableModel::StreamProgress& report) { return watch.after(report); });
    if (model.history().back().rows == 0 && !watch.interrupted())
      throw CorruptFile("no row has a value of " + model.target() +
                        ", the target: there is nothing to learn");
    if (const std::string misfit = model.misfit(); !misfit.empty())
      throw CorruptFile(misfit + " The model is as it was");
    if (rows != nullptr) expect_new_rows(model, *rows);
  });
  return watch.interrupted();
}

// Cells of an event: numbers, texts, or None where one is missing. What makes no sense is passed over and told.
void set_cells(const nb::dict& event, const Schema& schema, Table::Builder& to) {
  for (const auto& [name, cell] : event) {
    const std::size_t column = schema.find(nb::cast<std::string>(nb::str(nb::handle(name))));
    if (column == Schema::kNone || nb::handle(cell).is_none()) continue;
    double number = 0;
    if (nb::isinstance<nb::bool_>(cell))
      to.set(column, std::string_view(nb::cast<bool>(cell) ? "true" : "false"));
    else if (nb::isinstance<nb::str>(cell))
      to.set(column, std::string_view(nb::cast<std::string>(cell)));
    else if (nb::try_cast(nb::handle(cell), number))
      to.set(column, number);
    else
      throw CorruptFile("column \"" + schema.columns[column].name +
                        "\": must be a number, a text, true, false or null");
  }
}

// The streams that a model has followed, the last one first.
std::vector<std::string> followed_sources(const TableModel& model) {
  std::vector<std::string> out;
  for (auto step = model.history().rbegin(); step != model.history().rend(); ++step)
    if (step->kind == TableModel::Step::Kind::follow &&
        std::find(out.begin(), out.end(), step->position.source) == out.end())
      out.push_back(step->position.source);
  return out;
}

// Learns events and moves the model's position; returns which were passed over, and what was wrong with each.
std::vector<std::pair<std::size_t, std::string>> follow(
    Model& self, const nb::list& events, const std::map<std::string, std::string>& after,
    const std::string& source) {
  const Schema schema = copied(self, &TableModel::schema);
  Table::Builder builder(schema);
  std::vector<std::pair<std::size_t, std::string>> wrong;
  std::vector<std::size_t> places;  // of the table's rows among the events
  for (std::size_t place = 0; place < events.size(); ++place) {
    const nb::handle event = events[place];
    try {
      if (!nb::isinstance<nb::dict>(event)) throw CorruptFile("must be an object of columns");
      set_cells(nb::cast<nb::dict>(event), schema, builder);
      builder.end_row();
      places.push_back(place);
    } catch (const CorruptFile& error) {
      builder.drop_row();
      wrong.emplace_back(place, error.what());
    }
  }
  Table table = builder.finish();
  self.change([&](TableModel& model) {
    const std::vector<TableModel::UnusableRow> unusable = model.unusable(table);
    for (const TableModel::UnusableRow& each : unusable)
      wrong.emplace_back(places[each.row], each.text());
    model.follow(unusable.empty() ? table : table.selected(usable_rows(table.rows(), unusable)),
                 {source, after});
  });
  std::sort(wrong.begin(), wrong.end());
  return wrong;
}

nb::dict predict_table(const Model& self, const Table& table, const std::vector<double>& quantiles,
                       std::size_t count, std::uint64_t seed, std::size_t first_row) {
  TableModel::Prediction prediction;
  std::vector<double> below, draws;
  std::size_t classes = 0;  // of a number: none
  self.read([&](const TableModel& model) {
    prediction = model.predict(table);
    classes = model.classes().size();
    if (!quantiles.empty()) below = prediction.quantiles(quantiles);
    if (count > 0) draws = prediction.samples(count, seed, first_row);
  });
  const std::size_t rows = prediction.rows;
  nb::dict out;
  if (classes > 0) {
    out["class"] = numpy_of(prediction.most_probable(), {rows});
    out["probabilities"] = numpy_of(std::move(prediction.probabilities), {rows, classes});
  } else {
    out["mean"] = numpy_of(std::move(prediction.mean), {rows});
    out["std"] = numpy_of(std::move(prediction.std), {rows});
    out["noise_std"] = numpy_of(std::move(prediction.noise_std), {rows});
  }
  if (!quantiles.empty()) out["quantiles"] = numpy_of(std::move(below), {rows, quantiles.size()});
  if (count > 0) out["samples"] = numpy_of(std::move(draws), {rows, count});
  return out;
}

void add_readers(nb::module_& m) {
  nb::class_<ColumnSchema>(m, "ColumnSchema", "What one column of a table is.")
      .def_ro("name", &ColumnSchema::name)
      .def_prop_ro("kind",
                   [](const ColumnSchema& column) { return std::string(to_string(column.kind)); })
      .def_ro("target", &ColumnSchema::target)
      .def_ro("has_missing", &ColumnSchema::has_missing)
      .def_ro("categories", &ColumnSchema::categories)
      .def_ro("note", &ColumnSchema::note)
      .def_ro("place", &ColumnSchema::place)
      .def_ro("unit", &ColumnSchema::unit)
      .def_ro("shared_inputs", &ColumnSchema::hashed)
      .def_prop_ro("parts", [](const ColumnSchema& column) {
        std::vector<std::string> out;
        for (const ColumnSchema::DatePart part : column.parts) out.emplace_back(to_string(part));
        return out;
      });
  nb::class_<Table>(m, "Table", "Some rows.").def_prop_ro("rows", &Table::rows);
  nb::class_<TableReader>(m, "TableReader", "Reads a table once, chunk by chunk.")
      .def_prop_ro("columns", [](const TableReader& reader) { return reader.schema().columns; })
      .def_prop_ro("bytes_read", &TableReader::bytes_read)
      .def_prop_ro("skipped", [](const TableReader& reader) { return reader.skipped().count; })
      .def_prop_ro("skip_reasons",
                   [](const TableReader& reader) { return reader.skipped().reasons; })
      .def_prop_ro("absent", &TableReader::absent)
      .def_prop_ro("path", &TableReader::path)
      .def("next", next_chunk, "The next rows; None at the end.");
  nb::class_<TableOptions>(m, "TableOptions", "How a table is read.")
      .def(
          "__init__",
          [](TableOptions* self, std::string target, bool classify, bool regress,
             std::vector<std::string> categorical, std::vector<std::string> numeric,
             std::vector<std::string> ignored, std::vector<std::string> na,
             const std::string& format, const std::string& delimiter, bool header,
             std::size_t most_categories, std::size_t sample_rows, std::size_t chunk_rows,
             bool skip_bad, std::string weights, bool may_lack_columns, const std::string& group,
             const std::string& time, std::vector<std::string> keys) {
            TableOptions options{.format = format_named(format),
                                 .delimiter = delimiter_named(delimiter),
                                 .header = header,
                                 .target = std::move(target),
                                 .classify = classify,
                                 .regress = regress,
                                 .categorical = std::move(categorical),
                                 .numeric = std::move(numeric),
                                 .ignored = std::move(ignored),
                                 .na = std::move(na),
                                 .most_categories = most_categories,
                                 .sample_rows = sample_rows,
                                 .keys = std::move(keys),
                                 .weights = std::move(weights),
                                 .skip_bad = skip_bad,
                                 .may_lack_columns = may_lack_columns,
                                 .chunk_rows = chunk_rows};
            if (!time.empty()) options.keys.push_back(time);
            if (!group.empty()) keep_group(group, options);
            options.validate();
            new (self) TableOptions(std::move(options));
          },
          nb::arg("target") = "", nb::arg("classify") = false, nb::arg("regress") = false,
          nb::arg("categorical") = std::vector<std::string>(),
          nb::arg("numeric") = std::vector<std::string>(),
          nb::arg("ignored") = std::vector<std::string>(),
          nb::arg("na") = std::vector<std::string>(), nb::arg("format") = "infer",
          nb::arg("delimiter") = "", nb::arg("header") = true, nb::arg("most_categories") = 200,
          nb::arg("sample_rows") = 100'000, nb::arg("chunk_rows") = 8192,
          nb::arg("skip_bad") = false, nb::arg("weights") = "", nb::arg("may_lack_columns") = false,
          nb::arg("group") = "", nb::arg("time") = "",
          nb::arg("keys") = std::vector<std::string>());
  m.def(
      "open_table",
      [](nb::handle data, const TableOptions& options) {
        return open_table(data, nullptr, options);
      },
      nb::arg("data"), nb::arg("options"), "A path, or an object with __arrow_c_stream__.");
}

void add_stream_progress(nb::module_& m) {
  nb::class_<TableModel::StreamProgress>(m, "StreamProgress",
                                         "How far the learning of a stream has come.")
      .def_ro("rows", &TableModel::StreamProgress::rows)
      .def_ro("bytes_read", &TableModel::StreamProgress::bytes_read)
      .def_ro("file_bytes", &TableModel::StreamProgress::file_bytes)
      .def_ro("seconds", &TableModel::StreamProgress::seconds);
}

void add_model(nb::module_& m) {
  nb::class_<Model>(m, "TableModelCore", "Inside of postrider.TableModel.")
      .def_static(
          "load",
          [](const std::string& path) {
            const nb::gil_scoped_release released;
            return Model(TableModel::load(path));
          },
          nb::arg("path"))
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            std::istringstream from(std::string(bytes.c_str(), bytes.size()));
            return Model(TableModel::load(from));
          },
          nb::arg("bytes"))
      .def("to_bytes",
           [](const Model& self) {
             std::ostringstream out;
             self.read([&](const TableModel& model) { model.save(out); });
             const std::string bytes = out.str();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_prop_ro(
          "parameters",
          [](const Model& self) {
            return parameters_of(
                self.read([](const TableModel& model) { return model.estimator().options(); }));
          },
          nb::sig("def parameters(self) -> dict[str, typing.Any]"))
      .def(
          "save",
          [](const Model& self, const std::string& path) {
            self.read([&](const TableModel& model) { model.save(path); });
          },
          nb::arg("path"))
      .def(
          "open",
          [](const Model& self, nb::handle data, const TableOptions& options) {
            const Schema schema = copied(self, &TableModel::schema);
            return open_table(data, &schema, options);
          },
          nb::arg("data"), nb::arg("options"))
      .def("update", update_model, nb::arg("reader"), nb::arg("progress").none(),
           nb::arg("rows").none())
      .def("follow", follow, nb::arg("events"), nb::arg("after"), nb::arg("source"))
      .def(
          "position",
          [](const Model& self, const std::string& source) {
            return self.read(
                [&](const TableModel& model) { return model.position(source).partitions; });
          },
          nb::arg("source"))
      .def("sources", [](const Model& self) { return self.read(followed_sources); })
      .def("predict", predict_table, nb::arg("table"), nb::arg("quantiles"), nb::arg("samples"),
           nb::arg("seed"), nb::arg("first_row"),
           nb::sig("def predict(self, table: Table, quantiles: collections.abc.Sequence[float], "
                   "samples: int, seed: int, first_row: int) -> dict[str, numpy.ndarray]"))
      .def(
          "intervals",
          [](const Model& self, const Table& table, double level) {
            std::vector<double> out = self.read(
                [&](const TableModel& model) { return model.predict(table).intervals(level); });
            const std::size_t rows = out.size() / 2;
            return numpy_of(std::move(out), {rows, 2});
          },
          nb::arg("table"), nb::arg("level"))
      .def(
          "evaluate",
          [](const Model& self, TableReader& reader) {
            return self.read([&](const TableModel& model) { return model.evaluate(reader); });
          },
          nb::arg("reader"))
      .def(
          "report",
          [](const Model& self, const Table& rows, const std::string& path, std::string title,
             double level, std::vector<std::string> keys, std::string time, std::string group,
             std::string rows_path) {
            const TableReport::Options options{.title = std::move(title),
                                               .level = level,
                                               .keys = std::move(keys),
                                               .time = std::move(time),
                                               .group = std::move(group),
                                               .rows_path = std::move(rows_path)};
            self.read([&](const TableModel& model) {
              write_file(path, report_on(model, rows, options).page);
            });
          },
          nb::arg("rows"), nb::arg("path"), nb::arg("title"), nb::arg("level"), nb::arg("keys"),
          nb::arg("time"), nb::arg("group"), nb::arg("rows_path"))
      .def_prop_ro("warnings",
                   [](const Model& self) { return copied(self, &TableModel::warnings); })
      .def_prop_ro("history",
                   [](const Model& self) {
                     return self.read([](const TableModel& model) { return model.history(); });
                   })
      .def_prop_ro("columns",
                   [](const Model& self) { return copied(self, &TableModel::schema).columns; })
      .def_prop_ro("classifies",
                   [](const Model& self) { return copied(self, &TableModel::classifies); })
      .def_prop_ro("classes", [](const Model& self) { return copied(self, &TableModel::classes); })
      .def_prop_ro("target", [](const Model& self) { return copied(self, &TableModel::target); })
      .def_prop_ro("missing",
                   [](const Model& self) {
                     return std::string(to_string(copied(self, &TableModel::missing)));
                   })
      .def_prop_ro("is_too_narrow",
                   [](const Model& self) {
                     return self.read(
                         [](const TableModel& model) { return model.estimator().is_too_narrow(); });
                   })
      .def_prop_ro("features", [](const Model& self) {
        std::vector<std::string> out;
        for (const Schema::Feature& feature : copied(self, &TableModel::features))
          out.push_back(feature.name);
        return out;
      });
}

}  // namespace

void add_tables(nb::module_& m) {
  add_readers(m);
  add_stream_progress(m);
  add_model(m);
  m.def(
      "train_table",
      [](TableReader& reader, bool stream, const nb::dict& parameters, const std::string& missing,
         bool indicators, bool balanced, const std::map<std::string, double>& class_weight,
         const std::string& memory_limit, std::optional<Given<std::uint32_t>> groups,
         std::string group, std::string time, double time_budget, const nb::object& progress) {
        const RowGroups together{std::move(groups), std::move(group), std::move(time)};
        TableModelOptions options;
        options.estimator = options_from(parameters);
        options.missing = missing_named(missing);
        options.indicators = indicators;
        options.class_weights = {balanced, class_weight};
        options.words = together.words();
        options.validate_for(reader.schema(), OptionInfo::Spelling::python);
        return stream
                   ? train_stream(reader, options, progress)
                   : train_epochs(reader, options, memory_limit, together, time_budget, progress);
      },
      nb::arg("reader"), nb::arg("stream"), nb::arg("options"), nb::arg("missing"),
      nb::arg("indicators"), nb::arg("balanced"), nb::arg("class_weight"), nb::arg("memory_limit"),
      nb::arg("groups").none(), nb::arg("group"), nb::arg("time"), nb::arg("time_budget"),
      nb::arg("progress").none(), "The model, and whether Ctrl-C ended its training.");
}

}  // namespace postrider::python
