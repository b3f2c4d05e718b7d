// postrider-certify: what can be shown about a factor, the library's or one loaded from a file.
#include "postrider/certify.h"

#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "postrider/error.h"
#include "postrider/factor.h"
#include "postrider/version.h"

namespace {

using postrider::Factor;

// "slope=0.1" or "weights=1,2,-1".
postrider::Parameter parse_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    postrider::reject("--parameter", text, "must look like name=value or name=value,value");
  postrider::Parameter out{text.substr(0, equals), {}};
  std::stringstream values(text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) {
    std::size_t used = 0;
    try {
      out.values.push_back(std::stod(value, &used));
    } catch (const std::logic_error&) {
      used = 0;
    }
    if (used == 0 || used != value.size())
      postrider::reject("--parameter " + out.name, value, "must be a number");
  }
  return out;
}

// The factor that a shared object makes: extern "C" postrider::Factor* postrider_factor().
std::unique_ptr<Factor> load_factor(const std::string& path) {
  // A bare name would be searched for among the system's libraries.
  const std::string file = std::filesystem::absolute(path).string();
  // Never closed: the factor's code must outlive everything made from it.
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) throw postrider::InvalidArgument(std::string("--load: ") + dlerror());
  using Make = Factor*();
  auto* make = reinterpret_cast<Make*>(dlsym(object, "postrider_factor"));
  if (make == nullptr)
    postrider::reject("--load", path,
                      "must define extern \"C\" postrider::Factor* postrider_factor()");
  std::unique_ptr<Factor> factor(make());
  if (!factor) postrider::reject("--load", path, "its postrider_factor() returned no factor");
  return factor;
}

struct Request {
  std::vector<std::string> names, parameters, loads;
  bool list = false;
  std::string json;
  postrider::CertifyOptions options;
};

std::vector<std::unique_ptr<Factor>> factors_of(const Request& request) {
  std::vector<std::unique_ptr<Factor>> out;
  std::vector<postrider::Parameter> parameters;
  for (const std::string& text : request.parameters) parameters.push_back(parse_parameter(text));
  if (!parameters.empty() && request.names.size() != 1)
    throw postrider::InvalidArgument("--parameter: goes with exactly one factor name");
  const bool everything = request.names.empty() && request.loads.empty();
  for (const std::string& name : everything ? postrider::factor_names() : request.names)
    out.push_back(postrider::make_factor(name, parameters));
  for (const std::string& path : request.loads) out.push_back(load_factor(path));
  return out;
}

int run(const Request& request) {
  if (request.list) {
    for (const std::string& name : postrider::factor_names()) std::cout << name << "\n";
    return 0;
  }
  bool passed = true;
  std::string json;
  for (const std::unique_ptr<Factor>& factor : factors_of(request)) {
    const postrider::Certificate certificate = postrider::certify(*factor, request.options);
    passed = passed && certificate.passed();
    json += (json.empty() ? "" : ",\n") + postrider::to_json(certificate);
    std::cout << postrider::to_text(certificate) << "\n" << std::flush;
  }
  if (!request.json.empty()) {
    std::ofstream file(request.json);
    file << "[\n" << json << "]\n";
    if (!file.flush()) postrider::reject("--json", request.json, "cannot be written");
  }
  return passed ? 0 : 1;
}

int parse_and_run(int argc, char** argv) {
  Request request;
  CLI::App app{
      "Certifies factors: exactness against quadrature, consistency, properness, master theorem.\n"
      "Exit code: 0 certified, 1 not certified, 2 a mistake in the call."};
  app.add_option("factor", request.names, "factors of the library; all of them if none is named");
  app.add_option("-p,--parameter", request.parameters, "a parameter, such as slope=0.3")
      ->allow_extra_args(false);
  app.add_option("-l,--load", request.loads, "a shared object that defines a factor of yours")
      ->allow_extra_args(false);
  app.add_flag("--list", request.list, "print the names of the library's factors");
  app.add_option("--seed", request.options.seed, "seed of the random messages")
      ->capture_default_str();
  app.add_option("--configurations", request.options.configurations,
                 "messages compared with quadrature, per edge and rule")
      ->capture_default_str();
  app.add_option("--evaluations", request.options.evaluations,
                 "messages tried for properness, per edge and rule")
      ->capture_default_str();
  app.add_option("--tolerance", request.options.exactness_tolerance, "accepted relative error")
      ->capture_default_str();
  app.add_option("--json", request.json, "also write the certificates to this file");
  app.set_version_flag("--version", std::string("postrider-certify ") + postrider::kVersion);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(request);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {  // also what a loaded factor throws
    std::cerr << "postrider-certify: " << error.what() << "\n";
    return 2;
  }
}
