// What commands tell of a model, from the installed interface.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "postrider/table_model.h"
#include "text/text_table.h"

namespace postrider::cli {

bool is_input(const ColumnSchema& column);
std::string inputs_text(const Schema& schema);  // names of the inputs; of many the first ones

// Those of these rows whose target is known.
std::vector<std::size_t> rows_with_target(const TableModel& model, const Table& table,
                                          const std::vector<std::size_t>& rows);

std::size_t members_of(const TableModel& model);
const network::Network& network_of(const TableModel& model, std::size_t member = 0);
double noise_variance_of(const TableModel& model, std::size_t member);      // standardised
std::vector<Estimator::ColumnScale> input_scales(const TableModel& model);  // one for each feature
std::vector<std::string> network_input_names(const TableModel& model);
std::string encoding_text(const ColumnEncoding& encoding);  // such as "piecewise, 7 knots"
std::string encodings_text(const TableModel& model);        // of all columns: how many have which
// For a numeric target; the second is empty if it is learned as it is.
Estimator::ColumnScale target_scale(const TableModel& model);
std::string target_scale_text(const TableModel& model);
// Which lattice targets lie on; nothing where they lie on none.
std::string lattice_text(const TableModel& model);
// What the networks' outputs are in units of; 1 for classes.
double target_unit(const TableModel& model);

bool noise_varies(const TableModel& model);    // whether it depends on the inputs
bool is_noise_known(const TableModel& model);  // and was not learned
// The noise that all rows have in common, a standard deviation in the unit of the target, over members. Where
// the noise varies it is only a factor of it.
double noise_std(const TableModel& model);
// The median of the noise of some rows. Empty for classes, and if there are no rows.
std::optional<double> typical_noise(const TableModel& model, const Table& table);
std::string noise_text(const TableModel& model, const std::optional<double>& typical);

std::string widths_text(const network::Network& network);  // "8 - 22 - 22 - 2"
std::string network_text(const TableModel& model);

// The members of one fit together.
struct FitSummary {
  std::size_t first_best = 0, last_best = 0;
  std::size_t epochs = 0, refit_epochs = 0;  // the most that a member ran
};
FitSummary summary_of(const TableModel::Step& step);
// How well rows were predicted by networks that have not learned them, in words; empty of a model that learned a stream
// alone.
std::string out_of_fold_text(const TableModel& model);
// What ended training: the score, or the epochs that were allowed, and of how many networks.
// If it is known that it was a time budget, and no person, that says so.
std::string ended_text(const TableModel::Step& step, bool is_time_over = false);
// Whether some network could have learned more: its epochs were used up, or somebody ended it.
bool ended_early(const TableModel::Step& step);

// That training was cut short, by a signal or by the time that it had, and what the model is then; empty if it was not.
std::string cut_text(const TableModel::Step& step, bool is_interrupted, bool without_folds);

// One change of a stream, in words.
std::string change_text(const StreamReport::Change& change);
// What a stream of rows did that its user should know.
void add_stream_facts(const TableModel& model, const TableModel::Step& step, TextTable& to);

// The figures of a cross-validation in one line.
std::string fold_scores_text(const TableModel& model, const TableModel::FoldScores& scores);

// --- The call of `postrider train` that makes a model again.

// As one word if the value begins with a dash, since it would be taken for an option.
void add_option_words(const std::string& name, const std::string& value,
                      std::vector<std::string>& to);

// The whole call, for a shell, but for the name of the file.
std::string training_command(const TableModel& model);

}  // namespace postrider::cli
