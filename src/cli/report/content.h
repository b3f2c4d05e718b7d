// What a report shows. Plain values: whoever has a model fills them in, and a part that is empty is
// left out of the page. Text may be anything; it is escaped when the page is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "postrider/audit.h"

namespace postrider {

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

struct ReportColumn {
  std::string name;
  std::string kind;  // such as "number" or "category"
  bool is_target = false;
  std::size_t missing = 0;
  // Of numbers; absent for categories.
  std::optional<double> mean = {}, deviation = {}, least = {}, largest = {};
  // Counts to draw: of equally wide bins from least to largest, or per category, most frequent first.
  std::vector<double> counts = {};
  std::vector<std::string> categories = {};  // names of the counts, for categories
  std::size_t distinct = 0;                  // categories in all; 0 for numbers
  std::string range = {};  // from where to where, in words; empty: from least to largest
};

struct ReportData {
  std::size_t training_rows = 0, test_rows = 0;  // 0: not known
  std::vector<ReportColumn> columns;
};

// Of one network; a model may have several.
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
};

struct ReportImportance {
  std::string input;
  std::optional<double> loss = {},
                        loss_error = {};  // by permutation, nats per row, and standard error
  std::optional<double> strength = {};    // from the beliefs; see InputInfluence
  std::optional<double> slope = {}, slope_deviation = {};
};

struct ReportContent {
  std::string title;
  std::string subtitle = {};      // one sentence
  std::vector<ReportFact> facts;  // version, seed, network, rule, rows, seconds ...
  std::vector<ReportMetric> metrics;
  ReportData data;
  std::vector<ReportTraining> training;
  std::optional<ReportPredictions> predictions;
  std::optional<ReportCalibration> calibration;
  std::vector<ReportReliabilityBin> reliability;
  std::optional<ReportConfusion> confusion;
  std::vector<ReportImportance> importances;
  std::vector<ReportRow> most_certain, least_certain;
  std::vector<ReportWeights> weights;
  std::optional<NetworkCertificate> certificate;
};

}  // namespace postrider
