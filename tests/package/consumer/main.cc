#include <cstdio>
#include <string_view>
#include <vector>

#include "postrider/error.h"
#include "postrider/graph.h"
#include "postrider/version.h"

// Called with the version that the build says it installed.
int main(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) != postrider::kVersion) return 1;
  postrider::graph::FactorGraph graph;
  const postrider::graph::Variable x = graph.add_variable(), y = graph.add_variable();
  graph.set_prior(x, postrider::Gaussian::from_moments(1, 2));
  graph.add_factor(postrider::graph::make_factor("leaky_relu", {{"slope", {1}}}),
                   std::vector{y, x});
  graph.run();  // slope 1 is the identity
  if (!equal_within(graph.marginal(y), postrider::Gaussian::from_moments(1, 2), {})) return 2;
  try {
    postrider::graph::make_factor("no such factor");
  } catch (const postrider::InvalidArgument& error) {
    std::printf("postrider %s: %s\n", postrider::kVersion, error.what());
  }
  const postrider::graph::CertifyOptions small{1, 2, 1000, 1e-9};
  return certify(*postrider::graph::make_factor("probit"), small).passed() ? 0 : 3;
}
