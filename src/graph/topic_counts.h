// What topics are told, checked, and Dirichlet parameters that may stand once for many.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/graph/topics.h"

namespace postrider::internal {

// Throws InvalidArgument. Returns the number of all words.
double check_counts(const graph::WordCounts& counts);

// One parameter for each topic.
std::vector<double> share_prior_of(const graph::TopicOptions& options);

// Parameters of words by word and topic, without a copy for each.
class WordPrior {
 public:
  WordPrior(const graph::TopicOptions& options, std::size_t vocabulary);

  double operator()(std::size_t word, std::size_t topic) const {
    return values_[word * by_word_ + topic * by_topic_];
  }
  // Over all words of a topic.
  double total(std::size_t topic) const { return totals_[topic]; }
  // log B of a topic's parameters with these counts (of each word, `stride` apart) less that without.
  double log_mass(std::size_t topic, std::span<const double> counts, std::size_t stride) const;

 private:
  std::vector<double> values_, totals_;
  std::size_t vocabulary_, by_word_ = 0, by_topic_ = 0;
};

}  // namespace postrider::internal
