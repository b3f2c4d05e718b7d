// What a part of the validation hands back: numbers, texts, columns, and objects of these.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace postrider::validation {

struct Node;
using Object = std::vector<std::pair<std::string, Node>>;
struct Node {
  std::variant<double, std::int64_t, bool, std::string, std::vector<double>, Object> value;
};

struct Settings {
  bool quick = false;
  std::uint64_t seed = 1;
  unsigned threads = 2;
  double evaluations = 1e9;  // of properness

  std::size_t samples() const { return quick ? 50'000 : 500'000; }  // importance sampling
};

// A claim of the paper, or of ours, that the numbers bear out or not.
struct Claim {
  std::string text;
  bool holds;
};

struct Part {
  std::string name;  // of the result file
  Object result;
  std::vector<Claim> claims;
};

Part master_theorem(const Settings& settings);
Part tightness(const Settings& settings);
Part snr(const Settings& settings);
Part copy(const Settings& settings);
Part product_marginals(const Settings& settings);
Part relu_marginals(const Settings& settings);
Part properness(const Settings& settings);

// Writes <folder>/<name>.json.
void write(const Part& part, const std::string& folder);

// Evenly spaced, ends included; the second evenly in the logarithm.
std::vector<double> linear_steps(double from, double to, std::size_t count);
std::vector<double> logarithmic_steps(double from, double to, std::size_t count);

}  // namespace postrider::validation
