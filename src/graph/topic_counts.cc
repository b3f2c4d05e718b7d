#include "graph/topic_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "factor/dirichlet.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

void check_parameters(const char* field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0 && std::isfinite(values[i])))
      reject(values.size() == 1 ? field : fmt::format("{}[{}]", field, i), values[i],
             "must be a finite number above 0");
}

}  // namespace

double check_counts(const graph::WordCounts& counts) {
  if (counts.first.empty() || counts.first.front() != 0 || !std::ranges::is_sorted(counts.first))
    throw InvalidArgument("first: must begin with 0 and never fall");
  if (counts.words.size() != counts.numbers.size() || counts.first.back() != counts.words.size())
    reject("words", counts.words.size(),
           fmt::format("must be as many as numbers, {}, and as first ends with, {}",
                       counts.numbers.size(), counts.first.back()));
  double total = 0;
  for (std::size_t i = 0; i < counts.words.size(); ++i) {
    if (counts.words[i] >= counts.vocabulary)
      reject(fmt::format("words[{}]", i), counts.words[i],
             fmt::format("must be below the vocabulary's {}", counts.vocabulary));
    if (!(counts.numbers[i] >= 0 && std::isfinite(counts.numbers[i])))
      reject(fmt::format("numbers[{}]", i), counts.numbers[i], "must be finite and at least 0");
    total += counts.numbers[i];
  }
  if (!std::isfinite(total)) reject("the sum of numbers", total, "must be finite");
  return total;
}

std::vector<double> share_prior_of(const graph::TopicOptions& options) {
  const std::size_t topics = options.topics;
  if (topics == 0) reject("topics", topics, "must be at least 1");
  std::vector<double> out = options.share_prior;
  if (out.empty()) out = {1.0 / static_cast<double>(topics)};
  check_parameters("share_prior", out);
  if (out.size() == 1) out.assign(topics, out[0]);
  if (out.size() != topics)
    reject("share_prior", out.size(), fmt::format("must be one number, or {}", topics));
  return out;
}

WordPrior::WordPrior(const graph::TopicOptions& options, std::size_t vocabulary)
    : values_(options.word_prior), vocabulary_(vocabulary) {
  if (vocabulary == 0) reject("vocabulary", vocabulary, "must be at least 1");
  if (values_.empty()) values_ = {1.0 / static_cast<double>(options.topics)};
  check_parameters("word_prior", values_);
  const std::size_t all = options.topics * vocabulary;
  if (values_.size() != 1 && values_.size() != vocabulary && values_.size() != all)
    reject("word_prior", values_.size(),
           fmt::format("must be one number, one for each of {} words, or {} for words of topics",
                       vocabulary, all));
  if (values_.size() != 1) by_word_ = 1;
  if (values_.size() == all && options.topics > 1) by_topic_ = vocabulary;
  for (std::size_t topic = 0; topic < options.topics; ++topic) {
    double& total = totals_.emplace_back(0.0);
    for (std::size_t word = 0; word < vocabulary; ++word) total += (*this)(word, topic);
    if (!std::isfinite(total)) reject("the sum of word_prior", total, "must be finite");
  }
}

double WordPrior::log_mass(std::size_t topic, std::span<const double> counts,
                           std::size_t stride) const {
  double out = 0, count = 0;
  for (std::size_t word = 0; word < vocabulary_; ++word) {
    const double n = counts[word * stride + topic];
    out += log_rising((*this)(word, topic), n);
    count += n;
  }
  return out - log_rising(totals_[topic], count);
}

}  // namespace postrider::internal
