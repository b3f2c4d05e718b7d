// Every factor of the library has its certificate, here from fewer messages than by default.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "postrider/graph/certify.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
namespace {

struct Which {
  std::string name;
  std::vector<Parameter> parameters = {};
};

void PrintTo(const Which& which, std::ostream* out) {
  *out << which.name;
  for (const Parameter& parameter : which.parameters) {
    *out << '_' << parameter.name;
    for (const double value : parameter.values) *out << '_' << value;
  }
}

// All factors as they come, and some at other parameters.
std::vector<Which> subjects() {
  std::vector<Which> out;
  for (const std::string& name : factor_names()) out.push_back({name});
  for (const double slope : {0.0, 0.01, 1.0}) out.push_back({"leaky_relu", {{"slope", {slope}}}});
  out.push_back({"probit", {{"sign", {-1}}, {"scale", {0}}}});
  return out;
}

class LibraryCertificate : public testing::TestWithParam<Which> {};

TEST_P(LibraryCertificate, IsIssued) {
  CertifyOptions options;
  options.configurations = 4;
  options.evaluations = 20'000;
  const auto factor = make_factor(GetParam().name, GetParam().parameters);
  const Certificate certificate = certify(*factor, options);
  EXPECT_TRUE(certificate.passed()) << to_text(certificate);
}

INSTANTIATE_TEST_SUITE_P(Library, LibraryCertificate, testing::ValuesIn(subjects()));

}  // namespace
}  // namespace postrider::graph
