#include "serve/served_model.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "io/output.h"
#include "postrider/error.h"
#include "serve/model_versions.h"

namespace postrider::cli {
namespace {

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

void expect_name(const std::string& name, const std::string& argument) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_name_byte)) return;
  reject("MODEL", argument,
         "must be FILE, NAME=FILE or NAME:VERSION=FILE, with letters, digits, - _ and . in names");
}

// A name for a file that has none: its own, up to the first point.
std::string name_of_file(const std::string& path) {
  std::string out = std::filesystem::path(path).filename().string();
  out = out.substr(0, out.find('.', 1));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !is_name_byte(c); }, '-');
  return out.empty() ? "model" : out;
}

// Clients of one model must not get the answers of another.
void expect_same_use(const ModelVersion& now, const ModelVersion& next) {
  if (now.use() == next.use()) return;
  throw CorruptFile("the new file predicts " + next.use() + "; served is " + now.use() +
                    ". Serve it under another name, or with --any-model");
}

}  // namespace

std::shared_ptr<const ModelVersion> load_version(const std::string& path) {
  if (sparse_model_kind().holds(path)) return std::make_shared<const SparseVersion>(path);
  return std::make_shared<const TableVersion>(path);
}

ModelPlace read_model_place(const std::string& argument) {
  std::error_code trouble;
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || std::filesystem::exists(argument, trouble))
    return {name_of_file(argument), "1", argument};
  const std::string name = argument.substr(0, equals);
  const std::size_t colon = std::min(name.find(':'), name.size());
  ModelPlace out{name.substr(0, colon),
                 colon == name.size() ? std::string("1") : name.substr(colon + 1),
                 argument.substr(equals + 1)};
  expect_name(out.name, argument);
  expect_name(out.version, argument);
  return out;
}

ServedModel::ServedModel(ModelPlace place, bool any)
    : place_(std::move(place)), any_(any), now_(load_version(place_.path)) {}

bool ServedModel::refresh(std::string& why) {
  if (!is_outdated()) return true;
  try {
    std::shared_ptr<const ModelVersion> next = load_version(place_.path);
    if (!any_) expect_same_use(*now(), *next);
    now_.store(std::move(next));
    return true;
  } catch (const Error& error) {
    why = error.what();
    return false;
  }
}

ModelRegistry::ModelRegistry(const std::vector<std::string>& arguments, bool any) {
  for (const std::string& argument : arguments) {
    ModelPlace place = read_model_place(argument);
    const std::vector<std::string> versions = versions_of(place.name);
    if (std::find(versions.begin(), versions.end(), place.version) != versions.end())
      reject("MODEL", argument,
             "another file is version " + place.version + " of " + place.name +
                 "; NAME:VERSION=FILE tells them apart");
    models_.push_back(std::make_unique<ServedModel>(std::move(place), any));
  }
}

ServedModel* ModelRegistry::find(std::string_view name, std::string_view version) const {
  for (auto at = models_.rbegin(); at != models_.rend(); ++at)
    if ((*at)->place().name == name && (version.empty() || (*at)->place().version == version))
      return at->get();
  return nullptr;
}

std::vector<std::string> ModelRegistry::versions_of(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& model : models_)
    if (model->place().name == name) out.push_back(model->place().version);
  return out;
}

}  // namespace postrider::cli
