// What a report shows. Plain values: whoever has a model fills them in, and a part that is empty is
// left out of the page. Text may be anything; it is escaped when the page is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "postrider/importance.h"
#include "postrider/network/audit.h"

namespace postrider::internal {

struct ReportFact {
  std::string name, value;
};

// One measure of quality. The interval says how far it would differ on other rows of the same kind.
struct ReportMetric {
  std::string name;
  double value = 0;
  std::optional<double> low = {}, high = {};
  std::string explanation = {};  // one sentence
};

// One of several that are compared: the model, then what it must beat.
struct ReportContender {
  std::string name;
  double value = 0, error = 0;  // and its standard error
};

// What a reader in a hurry should know. Sentences are plain text.
struct ReportHeadline {
  std::string predicts;  // what, from what, learned from how many rows
  std::string score;     // what is compared, such as "Typical error, in units of strength"
  std::vector<ReportContender> contenders;  // lower is better
  std::string verdict;                      // against the baselines
  std::string trust;                        // how far to trust intervals or probabilities
  bool is_trusted = true;
  std::vector<std::string> matters;  // the inputs that matter most, first the first
  std::vector<std::string> worries;  // none: nothing stands out
};

// Errors of some rows that belong together.
struct ReportErrors {
  std::string name;  // of a group; empty of a stretch of time
  double time = 0;   // the middle of the stretch
  std::size_t rows = 0;
  double mean = 0, error = 0;  // of target less prediction, or the share of right classes
  double size = 0;             // root mean square error, or log-loss
  double inside = 0;  // share inside the interval; for classes the probability that was said
};

struct ReportColumn {
  std::string name;
  std::string kind;  // such as "number" or "category"
  bool is_target = false;
  std::size_t missing = 0;
  // For numbers; absent for categories.
  std::optional<double> mean = {}, deviation = {}, least = {}, largest = {};
  // Counts to draw: of equally wide bins from least to largest, or per category, most frequent first.
  std::vector<double> counts = {};
  std::vector<std::string> categories = {};  // names of the counts, for categories
  std::size_t distinct = 0;                  // categories in all; 0 for numbers
  std::string range = {};  // from where to where, in words; empty: from least to largest
  std::optional<double> learned_mean = {}, learned_deviation = {};  // of the rows that were learned
  std::size_t unknown = 0;  // cells of categories that the model has not seen
};

struct ReportData {
  std::size_t training_rows = 0, test_rows = 0;  // 0: not known
  std::vector<ReportColumn> columns;
  std::size_t training_copies = 0;  // of the training rows, exact copies of others
};

// The training of one network; a model may have several.
struct ReportTraining {
  std::string name;                // such as "member 1"
  std::vector<double> score;       // per epoch, nats; see EpochReport
  std::vector<double> noise = {};  // per epoch, of a typical row, a deviation in the target's units
  std::size_t best_epoch = 0;      // from 1; 0: unknown
};

// Central intervals that should hold a share `level` of the targets, and the share they held.
struct ReportCalibration {
  std::vector<double> level, coverage;
};

// Row by row, in the units of the target.
struct ReportPredictions {
  std::string target;
  double level = 0.9;  // of the intervals
  std::vector<double> observed, mean, low, high;
};

struct ReportReliabilityBin {
  double probability = 0;  // mean probability of the class that was predicted
  double share_right = 0;
  std::size_t rows = 0;
};

struct ReportConfusion {
  std::vector<std::string> classes;
  std::vector<std::size_t> counts;  // row by row: true class, then predicted class
};

// The beliefs in the weights of one layer, unit by unit, input by input, as Network numbers them.
struct ReportWeights {
  std::string name;                 // such as "layer 1"
  std::vector<std::string> inputs;  // one name per weight of a unit, "bias" included
  std::size_t units = 0;
  std::vector<double> mean, deviation;
};

struct ReportRow {
  std::size_t row = 0;     // as the user counts
  std::string prediction;  // such as "12.3 ± 0.4" or "yes (97 %)"
  std::string observed = {};
  bool was_right = true;  // inside the interval, or the right class
  std::vector<ReportFact> inputs = {};
  std::vector<ReportFact> keys = {};  // that name it; else its number does
  // The columns that move the prediction most from that of typical rows, and how far.
  std::vector<ReportFact> moves = {};
};

struct ReportImportance {
  std::string input;
  std::optional<double> loss = {},
                        loss_error = {};  // by permutation, nats per row, and standard error
  std::optional<double> error_growth =
      {};  // a share of the typical error or, of classes, of the log-loss
  std::optional<double> strength = {};  // from the beliefs; see InputInfluence
  std::optional<double> slope = {}, slope_deviation = {};
};

struct ReportContent {
  std::string title;
  std::string subtitle = {};  // one sentence
  // That the model has learned rows of this page, and what figures are worth then; empty if it has not.
  std::string learned = {};
  std::optional<ReportHeadline> headline;
  std::vector<ReportFact> facts;  // version, seed, network, rule, rows, seconds ...
  std::string command = {};       // that makes the model again
  std::vector<ReportMetric> metrics;
  ReportData data;
  std::vector<ReportTraining> training;
  std::optional<ReportPredictions> predictions;
  std::optional<ReportCalibration> calibration;
  std::vector<ReportReliabilityBin> reliability;
  std::optional<ReportConfusion> confusion;
  std::vector<ReportImportance> importances;
  std::vector<PartialDependence> dependences;
  std::vector<Interaction> interactions;  // the largest first
  std::string time, group;                // columns that errors are told by
  bool has_dates = false;                 // times are dates
  std::vector<ReportErrors> over_time, by_group;
  std::vector<ReportRow> most_certain, least_certain, furthest_off;
  std::vector<ReportWeights> weights;
  std::optional<network::NetworkCertificate> certificate;
};

}  // namespace postrider::internal
