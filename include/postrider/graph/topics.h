// Topics of documents: latent Dirichlet allocation. Each document has shares of topics, each topic probabilities of words, both Dirichlet
// beforehand; each word of a document is drawn from a topic that was drawn from the document's shares.
//
//   const graph::WordCounts counts{first, words, numbers, vocabulary};      // in CSR form
//   const graph::TopicBeliefs found = graph::topic_beliefs(counts, {.topics = 10});
//   const auto shares = graph::topic_shares(found, new_documents);
//
// Topics are learned by soft counts: each word adds to each topic the chance that it is from there, in which its own former count is left
// out. No message is kept: memory is three times (documents + words) x topics numbers at most, beside what is returned, whatever the number
// of entries. Shares of documents are found by expectation propagation, given the topics, so that their standard deviations know that words
// were not seen to be of a topic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "postrider/export.h"

namespace postrider::graph {

// Documents row by row: entries first[d] ... first[d + 1] - 1 are those of document d. Numbers are at least 0 and need not be whole.
struct WordCounts {
  std::span<const std::uint64_t> first;  // documents + 1
  std::span<const std::uint32_t> words;
  std::span<const double> numbers;
  std::size_t vocabulary;

  std::size_t documents() const { return first.empty() ? 0 : first.size() - 1; }
};

struct TopicOptions {
  std::size_t topics = 10;
  // Dirichlet parameters of shares, one or one for each topic; of words, one, one for each word, or one for each word of each topic, topic by
  // topic. Nothing given is 1/topics, as elsewhere.
  std::vector<double> share_prior = {}, word_prior = {};
  std::size_t limit = 500;  // passes over the documents
  double tolerance =
      1e-4;  // ends when a pass moves less than this part of all words to other topics
  std::size_t starts =
      4;  // at random; the one whose bound on the evidence is best after some passes goes on
  std::uint64_t seed = 0;
  std::function<bool()> go_on = {};  // asked after each pass; false ends the run
};

struct TopicBeliefs {
  std::size_t topics = 0, vocabulary = 0;
  std::vector<double> words;        // Dirichlet parameters, topics x vocabulary
  std::vector<double> shares;       // Dirichlet parameters, documents x topics
  std::vector<double> share_prior;  // of each topic
  double log_evidence_bound = 0;    // log p(words) is at least this
  std::size_t passes = 0;
  double change = 0;  // the part of all words that the last pass moved
  bool converged = false;
};

// Throws InvalidArgument for counts or parameters that are none.
POSTRIDER_EXPORT TopicBeliefs topic_beliefs(const WordCounts& counts, const TopicOptions& options);

// Dirichlet parameters of the shares of documents, given the means of the topics: documents x topics.
POSTRIDER_EXPORT std::vector<double> topic_shares(const TopicBeliefs& topics,
                                                  const WordCounts& documents);

// The sum over all words of log(sum_k share_k topic_k), with means in place of both; `shares` as from topic_shares().
POSTRIDER_EXPORT double word_log_likelihood(const TopicBeliefs& topics,
                                            std::span<const double> shares,
                                            const WordCounts& documents);

}  // namespace postrider::graph
