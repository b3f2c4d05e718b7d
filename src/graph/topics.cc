#include "postrider/graph/topics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.h"
#include "factor/dirichlet.h"
#include "graph/document_shares.h"
#include "graph/topic_counts.h"
#include "postrider/error.h"

namespace postrider::graph {
namespace {

using internal::WordPrior;

constexpr std::size_t kTrialPasses = 40;  // of each start, before the best goes on
constexpr int kOwnCountRounds = 2;        // in which a word leaves its own count out

// Soft counts: of topics in each document (documents x topics), of words in each topic (words x topics), and their sums over words.
struct Counts {
  std::vector<double> documents, words, totals;
};

class Learning {
 public:
  Learning(const WordCounts& counts, const TopicOptions& options)
      : counts_(counts),
        options_(options),
        topics_(options.topics),
        share_prior_(internal::share_prior_of(options)),
        word_prior_(options, counts.vocabulary),
        total_(internal::check_counts(counts)),
        chances_(topics_),
        cavity_(topics_),
        likelihoods_(topics_) {
    if (options.starts == 0) reject("starts", options.starts, "must be at least 1");
  }

  TopicBeliefs beliefs() {
    double best = -std::numeric_limits<double>::infinity();
    Counts kept;
    TopicBeliefs out;
    for (std::size_t start = 0; start < options_.starts; ++start) {
      begin(start);
      run(options_.starts == 1 ? 0 : std::min(kTrialPasses, options_.limit), out);
      if (options_.starts == 1) break;
      const double bound = pass(true).bound;
      if (start == 0 || bound > best) best = bound, kept = now_;
    }
    if (options_.starts > 1) now_ = std::move(kept);
    out.passes = 0;
    run(options_.limit, out);
    finish(out);
    return out;
  }

 private:
  struct Passed {
    double change = 0, bound = 0;
  };

  std::span<const double> words_of(std::size_t word) const {
    return std::span(now_.words).subspan(word * topics_, topics_);
  }

  // Each word of each document is dealt to topics at random, by their prior probabilities of it.
  void begin(std::size_t start) {
    internal::RandomStream random(options_.seed, start);
    now_.documents.assign(counts_.documents() * topics_, 0.0);
    now_.words.assign(counts_.vocabulary * topics_, 0.0);
    now_.totals.assign(topics_, 0.0);
    for (std::size_t d = 0; d < counts_.documents(); ++d)
      for (std::size_t i = counts_.first[d]; i < counts_.first[d + 1]; ++i) {
        const std::size_t word = counts_.words[i];
        double sum = 0;
        for (std::size_t k = 0; k < topics_; ++k)
          sum += chances_[k] =
              -std::log1p(-random.uniform()) * word_prior_(word, k) / word_prior_.total(k);
        for (double& chance : chances_)
          chance = sum > 0 ? chance / sum : 1.0 / static_cast<double>(topics_);
        add(now_, d, i);
      }
  }

  void add(Counts& to, std::size_t document, std::size_t entry) {
    const double number = counts_.numbers[entry];
    double* const of_document = to.documents.data() + document * topics_;
    double* const of_word = to.words.data() + counts_.words[entry] * topics_;
    for (std::size_t k = 0; k < topics_; ++k) {
      const double by = number * chances_[k];
      of_document[k] += by, of_word[k] += by, to.totals[k] += by;
    }
  }

  // The chances of topics for a word of a document. Its own count is left out of what it is compared with; since no chances are kept, those
  // that are left out are the ones that are being found, in a few rounds.
  void find_chances(std::size_t document, std::size_t entry) {
    const std::span<const double> shares =
        std::span(now_.documents).subspan(document * topics_, topics_);
    const std::size_t word = counts_.words[entry];
    const std::span<const double> words = words_of(word);
    const double own = std::min(counts_.numbers[entry], 1.0);
    std::ranges::fill(chances_, 0.0);
    for (int round = 0; round <= kOwnCountRounds; ++round) {
      for (std::size_t k = 0; k < topics_; ++k) {
        const double left_out = own * chances_[k];
        cavity_[k] = std::max(shares[k] - left_out, 0.0) + share_prior_[k];
        likelihoods_[k] = likelihood(word, k, words[k], left_out);
      }
      internal::symbol_chances(cavity_, likelihoods_, chances_);
    }
  }

  double likelihood(std::size_t word, std::size_t topic, double count, double left_out) const {
    return (std::max(count - left_out, 0.0) + word_prior_(word, topic)) /
           (std::max(now_.totals[topic] - left_out, 0.0) + word_prior_.total(topic));
  }

  // All words once, each from the counts of the pass before.
  Passed pass(bool with_bound) {
    Passed out;
    next_.documents.assign(now_.documents.size(), 0.0);
    next_.words.assign(now_.words.size(), 0.0);
    next_.totals.assign(topics_, 0.0);
    double entropy = 0;
    for (std::size_t d = 0; d < counts_.documents(); ++d)
      for (std::size_t i = counts_.first[d]; i < counts_.first[d + 1]; ++i) {
        if (counts_.numbers[i] == 0) continue;
        find_chances(d, i);
        add(next_, d, i);
        if (!with_bound) continue;
        for (const double chance : chances_)
          if (chance > 0) entropy -= counts_.numbers[i] * chance * std::log(chance);
      }
    double moved = 0, moved_shares = 0;
    for (std::size_t i = 0; i < now_.words.size(); ++i)
      moved += std::abs(next_.words[i] - now_.words[i]);
    for (std::size_t i = 0; i < now_.documents.size(); ++i)
      moved_shares += std::abs(next_.documents[i] - now_.documents[i]);
    out.change = total_ > 0 ? 0.5 * std::max(moved, moved_shares) / total_ : 0;
    std::swap(now_, next_);
    if (with_bound) out.bound = entropy + log_mass();
    return out;
  }

  // Given any chances r of all words, with the Dirichlet beliefs that have their sums: log p(words) >= entropy of r + what this returns.
  double log_mass() const {
    double out = 0;
    for (std::size_t d = 0; d < counts_.documents(); ++d)
      out += internal::log_sequence_mass(share_prior_,
                                         std::span(now_.documents).subspan(d * topics_, topics_));
    for (std::size_t k = 0; k < topics_; ++k) out += word_prior_.log_mass(k, now_.words, topics_);
    return out;
  }

  void run(std::size_t limit, TopicBeliefs& out) {
    for (std::size_t n = 0; n < limit; ++n) {
      out.change = pass(false).change;
      ++out.passes;
      out.converged = out.change <= options_.tolerance;
      if (out.converged || (options_.go_on && !options_.go_on())) return;
    }
  }

  void finish(TopicBeliefs& out) {
    out.log_evidence_bound = pass(true).bound;
    out.topics = topics_, out.vocabulary = counts_.vocabulary;
    out.share_prior = share_prior_;
    out.words.resize(topics_ * counts_.vocabulary);
    for (std::size_t k = 0; k < topics_; ++k)
      for (std::size_t word = 0; word < counts_.vocabulary; ++word)
        out.words[k * counts_.vocabulary + word] = word_prior_(word, k) + words_of(word)[k];
    internal::DocumentShares shares(share_prior_);
    std::vector<double> likelihoods;
    for (std::size_t d = 0; d < counts_.documents(); ++d) {
      const std::size_t first = counts_.first[d], size = counts_.first[d + 1] - first;
      likelihoods.resize(size * topics_);
      for (std::size_t i = 0; i < size; ++i) {
        find_chances(d, first + i);
        const std::size_t word = counts_.words[first + i];
        const double own = std::min(counts_.numbers[first + i], 1.0);
        for (std::size_t k = 0; k < topics_; ++k)
          likelihoods[i * topics_ + k] = likelihood(word, k, words_of(word)[k], own * chances_[k]);
      }
      const auto found = shares.infer(likelihoods, counts_.numbers.subspan(first, size));
      out.shares.insert(out.shares.end(), found.begin(), found.end());
    }
  }

  const WordCounts& counts_;
  const TopicOptions& options_;
  std::size_t topics_;
  std::vector<double> share_prior_;
  WordPrior word_prior_;
  double total_;
  Counts now_, next_;
  std::vector<double> chances_, cavity_, likelihoods_;  // of topics, for one word
};

// Means of all topics, word by word.
std::vector<double> means_by_word(const TopicBeliefs& topics) {
  std::vector<double> out(topics.words.size());
  for (std::size_t k = 0; k < topics.topics; ++k) {
    const std::span of_topic =
        std::span(topics.words).subspan(k * topics.vocabulary, topics.vocabulary);
    double sum = 0;
    for (const double each : of_topic) sum += each;
    for (std::size_t word = 0; word < topics.vocabulary; ++word)
      out[word * topics.topics + k] = of_topic[word] / sum;
  }
  return out;
}

void check_vocabulary(const TopicBeliefs& topics, const WordCounts& documents) {
  internal::check_counts(documents);
  if (documents.vocabulary != topics.vocabulary)
    reject("vocabulary", documents.vocabulary,
           fmt::format("must be that of the topics, {}", topics.vocabulary));
}

}  // namespace

TopicBeliefs topic_beliefs(const WordCounts& counts, const TopicOptions& options) {
  return Learning(counts, options).beliefs();
}

std::vector<double> topic_shares(const TopicBeliefs& topics, const WordCounts& documents) {
  check_vocabulary(topics, documents);
  const std::vector<double> means = means_by_word(topics);
  internal::DocumentShares shares(topics.share_prior);
  std::vector<double> out, likelihoods;
  for (std::size_t d = 0; d < documents.documents(); ++d) {
    const std::size_t first = documents.first[d], size = documents.first[d + 1] - first;
    likelihoods.clear();
    for (std::size_t i = 0; i < size; ++i) {
      const auto of_word =
          means.begin() + static_cast<std::ptrdiff_t>(documents.words[first + i] * topics.topics);
      likelihoods.insert(likelihoods.end(), of_word,
                         of_word + static_cast<std::ptrdiff_t>(topics.topics));
    }
    const auto found = shares.infer(likelihoods, documents.numbers.subspan(first, size));
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

double word_log_likelihood(const TopicBeliefs& topics, std::span<const double> shares,
                           const WordCounts& documents) {
  check_vocabulary(topics, documents);
  if (shares.size() != documents.documents() * topics.topics)
    reject(
        "shares", shares.size(),
        fmt::format("must be {} for each of {} documents", topics.topics, documents.documents()));
  const std::vector<double> means = means_by_word(topics);
  double out = 0;
  for (std::size_t d = 0; d < documents.documents(); ++d) {
    const std::span of_document = shares.subspan(d * topics.topics, topics.topics);
    double sum = 0;
    for (const double each : of_document) sum += each;
    for (std::size_t i = documents.first[d]; i < documents.first[d + 1]; ++i) {
      if (documents.numbers[i] == 0) continue;
      double p = 0;
      for (std::size_t k = 0; k < topics.topics; ++k)
        p += of_document[k] / sum * means[documents.words[i] * topics.topics + k];
      out += documents.numbers[i] * std::log(p);
    }
  }
  return out;
}

}  // namespace postrider::graph
