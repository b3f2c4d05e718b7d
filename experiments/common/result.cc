#include "common/result.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "postrider/error.h"

namespace postrider::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Object& object);

Json to_json(const Node& node) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Object>) {
          return to_json(value);
        } else if constexpr (std::is_same_v<Value, std::vector<Object>>) {
          Json out = Json::array();
          for (const Object& each : value) out.push_back(to_json(each));
          return out;
        } else {
          return value;
        }
      },
      node.value);
}

Json to_json(const Object& object) {
  Json out = Json::object();
  for (const auto& [name, node] : object) out[name] = to_json(node);
  return out;
}

Json with_others(const std::string& path, const Json& found) {
  std::ifstream file(path);
  Json out = file ? Json::parse(file, nullptr, /*allow_exceptions=*/false) : Json::object();
  if (!out.is_object()) reject("--out", path, "holds no JSON object to keep entries of");
  out.update(found);
  return out;
}

void write(const Node& result, const std::string& path, Entries others) {
  Json found = to_json(result);
  if (others == Entries::kept) found = with_others(path, found);
  std::ofstream file(path);
  file << found.dump(1) << "\n";
  if (!file.flush()) reject("--out", path, "cannot be written");
}

}  // namespace

void write(const Part& part, const std::string& folder, Entries others) {
  std::filesystem::create_directories(folder);
  write(part.list.empty() ? Node{part.result} : Node{part.list}, folder + "/" + part.name + ".json",
        others);
  for (const auto& [name, result] : part.besides)
    write(Node{result}, folder + "/" + name + ".json", others);
}

std::vector<double> linear_steps(double from, double to, std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  return out;
}

std::vector<double> logarithmic_steps(double from, double to, std::size_t count) {
  std::vector<double> out = linear_steps(std::log(from), std::log(to), count);
  for (double& x : out) x = std::exp(x);
  return out;
}

}  // namespace postrider::experiments
