#include <cmath>
#include <iostream>
#include <vector>

#include "postrider/regressor.h"

int main() {
  std::vector<double> x, y;
  for (int n = 0; n < 300; ++n) {
    x.push_back(-3 + 6.0 * n / 299);
    y.push_back(std::sin(2 * x.back()) + 0.2 * std::sin(1000.0 * n * n));
  }
  postrider::Regressor model;
  model.fit(x, y);
  const postrider::Forecast forecast = model.predict(std::vector{0.8, 6.0});
  std::cout << (std::abs(forecast.mean[0] - 1) < 0.1 ? "near the wave where there are data, "
                                                     : "off the wave, ")
            << (forecast.variance[1] > 4 * forecast.variance[0] ? "unsure where there are none\n"
                                                                : "sure where there are none\n");
}
