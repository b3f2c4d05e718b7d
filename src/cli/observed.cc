#include "cli/observed.h"

#include <cmath>
#include <numeric>

#include "cli/row_watch.h"
#include "postrider/error.h"
#include "text/model_facts.h"

namespace postrider::cli {

std::vector<std::size_t> rows_with_target(const TableModel& model, const Table& table,
                                          const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> out;
  if (!table.has_target()) return out;
  const TableColumn& target = table.column(model.schema().target());
  for (const std::size_t row : rows)
    if (model.classifies() ? target.codes[row] < model.classes().size()
                           : !std::isnan(target.numbers[row]))
      out.push_back(row);
  return out;
}

ObservedTable read_observed(const DataRequest& data, const TableModel& model) {
  TableReader reader = open_for_model(data, model);
  tell_absent("", reader);
  const RowWatch watch(model, reader);
  ObservedTable out;
  const LoadedTable loaded = read_all(reader);
  tell_skipped("", reader.skipped());
  tell_drift("", watch.warnings());
  out.repeated = watch.repeated();
  std::vector<std::size_t> all(loaded.table.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> rows = rows_with_target(model, loaded.table, all);
  for (const std::size_t row : rows) {
    const TableColumn& target = loaded.table.column(model.schema().target());
    out.lines.push_back(loaded.lines[row]);
    out.targets.push_back(model.classifies() ? target.codes[row] : target.numbers[row]);
  }
  if (rows.empty())
    throw CorruptFile("cannot use " + data.path + ": no row has a value of " + model.target() +
                      ", the target");
  out.without_target = loaded.table.rows() - rows.size();
  out.table = loaded.table.selected(rows);
  out.inputs = model.encode(out.table);
  return out;
}

NetworkCertificate certify_member(const TableModel& model, const ObservedTable& rows,
                                  std::size_t member, const NetworkCertifyOptions& options) {
  const Network& network = network_of(model, member);
  if (model.classifies()) {
    const Classifier& classifier = *model.classifier();
    const EncodedRows inputs = classifier.encoded_inputs(rows.inputs);
    return certify_network(
        network,
        {inputs.view(), rows.targets, Likelihood::classes, classifier.noise_variance(member)},
        options);
  }
  const Regressor& regressor = *model.regressor();
  const EncodedRows inputs = regressor.encoded_inputs(rows.inputs);
  const std::vector<double> targets = regressor.standardised_targets(rows.targets);
  const Likelihood likelihood =
      regressor.options().varying_noise ? Likelihood::varying_noise : Likelihood::gaussian;
  return certify_network(
      network, {inputs.view(), targets, likelihood, regressor.noise_variance(member)}, options);
}

}  // namespace postrider::cli
