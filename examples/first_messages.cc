#include <iostream>
#include <vector>

#include "postrider/gaussian.h"
#include "postrider/graph.h"

int main() {
  using postrider::Gaussian;
  using postrider::graph::Rule;
  const auto product = postrider::graph::make_factor("product");  // edges: z, x, y with z = x y
  const auto relu = postrider::graph::make_factor("leaky_relu", {{"slope", {0.1}}});  // edges: y, x

  // Forward: a weight times an input, then the activation.
  std::vector<Gaussian> at_product{Gaussian::uniform(), Gaussian::from_moments(0.4, 1.0),
                                   Gaussian::from_moments(2.0, 0.01)};
  const Gaussian z = product->send(0, Rule::direct, at_product).message;
  std::vector<Gaussian> at_relu{Gaussian::from_moments(1.5, 0.25), z};  // y seen as 1.5 +- 0.5
  std::cout << "z forward   " << z << '\n'
            << "y forward   " << relu->send(0, Rule::direct, at_relu).message << '\n';

  // Backward: what the observation of y says about z, and through it about the weight.
  const postrider::graph::Reply to_z = relu->send(1, Rule::conditioned, at_relu);
  at_product[0] = to_z.message;
  const postrider::graph::Reply to_weight = product->send(1, Rule::conditioned, at_product);
  std::cout << "z backward  " << to_string(to_z.message) << ", event " << to_string(to_z.event)
            << '\n'
            << "w backward  " << to_string(to_weight.message) << ", event "
            << to_string(to_weight.event) << '\n'
            << "w belief    " << at_product[1] * to_weight.message << '\n';
}
