#include "cli/class_weights.h"

#include <charconv>

#include "postrider/error.h"

namespace postrider::cli {

ClassWeights class_weights_of(const std::vector<std::string>& words) {
  ClassWeights out;
  for (const std::string& word : words) {
    const std::size_t at = word.rfind('=');
    double weight = 0;
    const char* const end = word.data() + word.size();
    if (words.size() == 1 && word == "balanced")
      out.balanced = true;
    else if (at == std::string::npos ||
             std::from_chars(word.data() + at + 1, end, weight).ptr != end || at + 1 == word.size())
      reject("--class-weights", word, "must be balanced, or a weight for each class: yes=2,no=1");
    else
      out.by_class[word.substr(0, at)] = weight;
  }
  return out;
}

}  // namespace postrider::cli
