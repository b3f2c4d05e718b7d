#include "postrider/graph/factor.h"

#include <dlfcn.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "cli/commands/commands.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

// "slope=0.1" or "weights=1,2,-1".
graph::Parameter parse_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    reject("--parameter", text, "must look like name=value or name=value,value");
  graph::Parameter out{text.substr(0, equals), {}};
  std::stringstream values(text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) {
    std::size_t used = 0;
    try {
      out.values.push_back(std::stod(value, &used));
    } catch (const std::logic_error&) {
      used = 0;
    }
    if (used == 0 || used != value.size())
      reject("--parameter " + out.name, value, "must be a number");
  }
  return out;
}

// The factor that a shared object makes: extern "C" postrider::Factor* postrider_factor().
std::unique_ptr<graph::Factor> load_factor(const std::string& path) {
  // A bare name would be searched for among the system's libraries.
  const std::string file = std::filesystem::absolute(path).string();
  // Never closed: the factor's code must outlive everything made from it.
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw InvalidArgument(std::string("--load: ") + dlerror());
  using Make = graph::Factor*();
  auto* make = reinterpret_cast<Make*>(dlsym(object, "postrider_factor"));
  if (make == nullptr)
    reject("--load", path, "must define extern \"C\" postrider::Factor* postrider_factor()");
  std::unique_ptr<graph::Factor> factor(make());
  if (!factor) reject("--load", path, "its postrider_factor() returned no factor");
  return factor;
}

std::vector<std::unique_ptr<graph::Factor>> factors_of(const FactorRequest& request) {
  std::vector<std::unique_ptr<graph::Factor>> out;
  std::vector<graph::Parameter> parameters;
  for (const std::string& text : request.parameters) parameters.push_back(parse_parameter(text));
  if (!parameters.empty() && request.names.size() != 1)
    throw InvalidArgument("--parameter: goes with exactly one factor name");
  const bool everything = request.names.empty() && request.loads.empty();
  for (const std::string& name : everything ? graph::factor_names() : request.names)
    out.push_back(graph::make_factor(name, parameters));
  for (const std::string& path : request.loads) out.push_back(load_factor(path));
  return out;
}

}  // namespace

ExitCode factor_list() {
  for (const std::string& name : graph::factor_names()) std::cout << name << "\n";
  return ExitCode::ok;
}

ExitCode factor_certify(const FactorRequest& request) {
  bool passed = true;
  std::string json;
  for (const std::unique_ptr<graph::Factor>& factor : factors_of(request)) {
    const graph::Certificate certificate = postrider::graph::certify(*factor, request.options);
    passed = passed && certificate.passed();
    json += (json.empty() ? "" : ",\n") + to_json(certificate);
    if (!request.json) std::cout << to_text(certificate) << "\n" << std::flush;
  }
  if (request.json) std::cout << "[\n" << json << "]\n";
  return passed ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace postrider::cli
