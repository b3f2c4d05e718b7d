// What a part of an experiment hands back: numbers, texts, columns, and objects of these.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace postrider::experiments {

struct Node;
using Object = std::vector<std::pair<std::string, Node>>;
struct Node {
  std::variant<double, std::int64_t, bool, std::string, std::vector<double>, Object,
               std::vector<Object>>
      value;
};

// Something that the paper or we say, and that the numbers bear out or not.
struct Claim {
  std::string text;
  bool holds;
};

struct Part {
  std::string name;  // of the result file
  Object result;
  std::vector<Claim> claims;
  std::vector<std::string> notes = {};  // printed, and neither right nor wrong
  // What the same runs show besides, for files of their own: <name>.json each.
  std::vector<std::pair<std::string, Object>> besides = {};
  std::vector<Object> list = {};  // written instead of the result, where that is a list
};

// Entries of a file that is there and that the new one does not name can be kept.
enum class Entries { replaced, kept };

// Writes <folder>/<name>.json, and what is besides.
void write(const Part& part, const std::string& folder, Entries others = Entries::replaced);

// Evenly spaced, ends included; the second evenly in the logarithm.
std::vector<double> linear_steps(double from, double to, std::size_t count);
std::vector<double> logarithmic_steps(double from, double to, std::size_t count);

}  // namespace postrider::experiments
