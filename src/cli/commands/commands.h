// The commands of the program: what each is asked for, and the call that does it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/commands/train.h"
#include "cli/program.h"
#include "events/follow.h"
#include "io/open_table.h"
#include "io/predicted_columns.h"
#include "postrider/explain.h"
#include "postrider/graph/certify.h"
#include "postrider/network/audit.h"
#include "postrider/row_selection.h"
#include "postrider/skill/game_file.h"
#include "postrider/skill/history.h"
#include "postrider/sparse/model.h"
#include "serve/serve.h"

namespace postrider::cli {

// --- postrider train: a table becomes a model.

struct TrainRequest {
  DataRequest data;
  std::string target;
  std::vector<std::string> categorical, numeric, ignore;
  std::vector<std::string> na;  // cells that are missing
  bool classify = false, regress = false;
  std::string output = "model.safetensors";
  bool force = false;  // replaces a file of another kind
  EstimatorOptions estimator = {.training = {.threads = 0, .checkpoint_every = 0}};
  std::string missing = "vague";
  bool indicators = false;
  bool no_profile = false;
  std::string time_budget, memory;  // such as 10m and 2G; empty: none
  bool dry_run = false;
  bool stream = false;
  SplitRequest split;
  std::string out_of_fold;                 // a file for predictions of rows that were held out
  std::vector<std::string> keys;           // columns that are written beside them
  std::string weights;                     // a column that says how often rows count
  std::vector<std::string> class_weights;  // "balanced", or "yes=2" for each class
  std::size_t shards = 0;  // training that is spread over processes; 0: it is not, but for mpirun
  double rows_in_flight = 0.01;
  double deadline = 600;  // seconds
  bool quiet = false, json = false;
  GivenOptions kept;  // of which the model's file is to tell

  void expect_possible() const;             // throws InvalidArgument
  TableOptions table_options() const;       // throws InvalidArgument
  TableModelOptions model_options() const;  // throws InvalidArgument
};

ExitCode train(const TrainRequest& request);

// --- postrider predict: a distribution for each row of a table.

ExitCode predict(const PredictRequest& request);

// --- postrider explain: how far each column moves a prediction from a baseline.

struct ExplainRequest {
  std::string model;
  DataRequest data;
  std::string baseline;  // a file of rows to compare with; empty: those that the model keeps
  std::size_t row = 0;   // from 1, to be told as text; 0: all rows as CSV
  std::vector<std::string> what_if;  // "column=value" each
  Explanation::Options options;
  std::string output;
  bool force = false;  // replaces a file of another kind
  bool json = false;
};

ExitCode explain(const ExplainRequest& request);

// --- postrider evaluate: how good a model's predictions are on rows that it has not seen.

struct EvaluateRequest {
  std::string model;
  DataRequest data;
  std::string output;  // rows as CSV; empty: none
  bool force = false;  // replaces a file of another kind
  bool json = false;
};

ExitCode evaluate(const EvaluateRequest& request);

// --- postrider update: a model goes on learning from new rows.

struct UpdateRequest {
  std::string model;
  DataRequest data;
  std::string output;   // empty: in place
  bool force = false;   // replaces a file of another kind
  bool anyway = false;  // also rows that were learned already, or are in another unit
  bool quiet = false, json = false;
};

ExitCode update(const UpdateRequest& request);

// --- postrider select: the rows of a pool whose labels would teach a model most.

struct SelectRequest {
  std::string model;
  DataRequest data;     // the pool
  std::string learned;  // a file with the rows that the model learned; none if empty
  std::string output;
  bool force = false;  // replaces a file of another kind
  SelectionOptions selection;
  bool json = false;
};

ExitCode select(const SelectRequest& request);

// --- postrider stream and postrider serve, which go on until they are stopped.

ExitCode stream(const StreamRequest& request);
ExitCode serve(const ServeRequest& request);

// --- postrider rate: skills of players through time, from a file of games.

struct RateRequest {
  DataRequest data;
  skill::GameFile::Columns columns;
  std::string fixtures;     // games to predict; empty: none
  std::string predictions;  // where their predictions go
  std::string output;       // where the history goes; empty: nowhere
  std::string resume;       // a history to go on with; empty: begin anew
  std::string page;         // where the page goes; empty: nowhere
  std::string title;
  bool force = false, quiet = false, json = false;
  std::size_t top = 20;            // of the leaderboard
  double active_days = 0;          // who has not played for longer is left out; 0: nobody
  skill::SkillOptions settings;    // those that the user gave
  std::vector<std::string> fixed;  // their names
};

ExitCode rate(const RateRequest& request);

// --- postrider sparse: linear models of sparse rows, from LIBSVM's or Vowpal Wabbit's text.

struct SparseLearnRequest {
  std::string data, output;
  std::string resume;           // a model to go on with
  std::string format = "auto";  // auto, libsvm or vw
  sparse::SparseOptions options;
  bool force = false, quiet = false;
};
struct SparsePredictRequest {
  std::string model, data, output;
  std::string format = "auto";
  bool force = false;
};

struct SparseEvaluateRequest {
  std::string model, data;
  std::string format = "auto";
  bool json = false;
};

sparse::FeatureFile::Format sparse_format_named(const std::string& name);  // as --format names it

ExitCode sparse_learn(const SparseLearnRequest& request);
ExitCode sparse_predict(const SparsePredictRequest& request);
ExitCode sparse_evaluate(const SparseEvaluateRequest& request);

// --- postrider report: one HTML page that says how far to trust a model.

struct ReportRequest {
  std::string model;
  DataRequest data;
  std::string output = "report.html";
  bool force = false;  // replaces a file of another kind
  std::string title;   // empty: the target's name
  double level = 0.9;
  std::string time, group;  // columns; empty: none
  bool quiet = false;
};

ExitCode report(const ReportRequest& request);

// --- postrider certify: how far a trained network's messages are from the exact ones.

struct CertifyRequest {
  std::string model;
  DataRequest data;
  std::size_t member = 1;  // from 1
  network::NetworkCertificate::Options options;
  bool json = false;
};

ExitCode certify(const CertifyRequest& request);

// --- postrider inspect: what a model file holds.

struct InspectRequest {
  std::string model;
  bool json = false;
};

ExitCode inspect(const InspectRequest& request);

// --- postrider graph: a network's factor graph in Graphviz's language.

struct GraphRequest {
  std::string model;
  std::string output;
  bool force = false;      // replaces a file of another kind
  std::size_t member = 1;  // from 1
  bool full = false;
};

ExitCode graph(const GraphRequest& request);

// --- postrider factor: what can be shown about a factor, the library's or one loaded from a file.

struct FactorRequest {
  std::vector<std::string> names, parameters, loads;
  graph::CertifyOptions options;
  bool json = false;
};

ExitCode factor_list();
ExitCode factor_certify(const FactorRequest& request);

}  // namespace postrider::cli
