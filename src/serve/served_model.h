// The models that a server has now.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/file.h"
#include "postrider/monitor.h"
#include "serve/http_message.h"

namespace postrider::cli {

enum class BodyKind { json, csv, arrow, text, tensors };

// What a client asks for, beside the rows.
struct PredictionQuery {
  BodyKind kind = BodyKind::json;
  std::string level, quantiles;               // as the client wrote them; empty: the usual ones
  std::size_t most_rows = 0, most_bytes = 0;  // of the answer, too
  bool far = false;                           // whether rows are far from all that were learned
  bool explain = false;                       // what columns contribute
  std::vector<std::string> names = {};        // of all that the client asked for behind the ?
  std::string model = {}, version = {};       // as answers of tensors name them
};

// One version of a model's file. Never changes; requests that hold it keep it alive.
class ModelVersion {
 public:
  explicit ModelVersion(const std::string& path) : file_(path) {}
  virtual ~ModelVersion() = default;
  ModelVersion(const ModelVersion&) = delete;
  ModelVersion& operator=(const ModelVersion&) = delete;

  bool is_current() const { return file_.is_current(); }
  virtual const std::string& description() const = 0;  // JSON: what it takes and predicts
  virtual std::string use() const = 0;  // the same in words; equal where clients see no difference
  virtual std::string tensors(
      const std::string& name,
      const std::vector<std::string>& versions) const = 0;  // as KServe describes it
  virtual std::vector<DriftWatch::Warning> drift() const = 0;
  // One answer for each body. Never throws for what a body holds.
  virtual std::vector<HttpAnswer> predict(const std::vector<const std::string*>& bodies,
                                          const PredictionQuery& query) const = 0;

 private:
  FileWriter::Version file_;  // noted before it is read
};

// A model of a table or of sparse rows, as the file says. Throws as TableModel::load() and SparseModel::load().
std::shared_ptr<const ModelVersion> load_version(const std::string& path);

// How the command line names a model: FILE, NAME=FILE or NAME:VERSION=FILE.
struct ModelPlace {
  std::string name, version, path;
};
ModelPlace read_model_place(const std::string& argument);  // throws InvalidArgument

class ServedModel {
 public:
  // A new version must take and predict the same columns as the one before, unless it may be `any`.
  ServedModel(ModelPlace place, bool any);

  const ModelPlace& place() const { return place_; }
  std::shared_ptr<const ModelVersion> now() const { return now_.load(); }
  // Loads the file again if it has been replaced; false if it cannot be loaded or takes other rows, and the model stays.
  // `why` says it.
  bool refresh(std::string& why);
  bool is_outdated() const { return !now()->is_current(); }

 private:
  ModelPlace place_;
  bool any_;
  std::atomic<std::shared_ptr<const ModelVersion>> now_;
};

class ModelRegistry {
 public:
  ModelRegistry(const std::vector<std::string>& arguments, bool any);

  ServedModel& first() const { return *models_.front(); }
  // Without a version the last one of this name; nullptr if there is none.
  ServedModel* find(std::string_view name, std::string_view version) const;
  std::vector<std::string> versions_of(std::string_view name) const;
  const std::vector<std::unique_ptr<ServedModel>>& all() const { return models_; }

 private:
  std::vector<std::unique_ptr<ServedModel>> models_;  // in their order
};

}  // namespace postrider::cli
