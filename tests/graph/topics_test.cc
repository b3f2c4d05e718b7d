#include "postrider/graph/topics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "complaint.h"

namespace postrider::graph {
namespace {

// How near expectation propagation comes to exact shares, in their standard deviations, as the page on models says.
constexpr double kTenth = 0.1;

struct Documents {
  std::vector<std::uint64_t> first{0};
  std::vector<std::uint32_t> words;
  std::vector<double> numbers;
  std::size_t vocabulary;

  explicit Documents(std::size_t vocabulary_, const std::vector<std::vector<double>>& dense = {})
      : vocabulary(vocabulary_) {
    for (const std::vector<double>& document : dense) add(document);
  }
  void add(const std::vector<double>& document) {
    for (std::uint32_t word = 0; word < document.size(); ++word)
      if (document[word] > 0) words.push_back(word), numbers.push_back(document[word]);
    first.push_back(words.size());
  }
  WordCounts view() const { return {first, words, numbers, vocabulary}; }
};

// log of the product of Gamma(a_k + n_k)/Gamma(a_k) over Gamma(s + n)/Gamma(s).
double log_polya(const std::vector<double>& a, const std::vector<double>& n) {
  double out = 0, s = 0, count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    out += std::lgamma(a[k] + n[k]) - std::lgamma(a[k]);
    s += a[k], count += n[k];
  }
  return out + std::lgamma(s) - std::lgamma(s + count);
}

// All assignments of words to topics, each with its probability given everything: exact.
struct Enumerated {
  double log_evidence, log_best;                   // of all assignments, and of the likeliest one
  std::vector<double> share_means, share_squares;  // documents x topics
  std::vector<double> topic_means;                 // topics x vocabulary
};

Enumerated enumerate(const Documents& documents, const std::vector<double>& share_prior,
                     const std::vector<std::vector<double>>& word_prior) {
  const std::size_t K = share_prior.size(), V = documents.vocabulary;
  const std::size_t D = documents.first.size() - 1;
  std::vector<std::pair<std::size_t, std::size_t>> tokens;  // document, word
  for (std::size_t d = 0; d < D; ++d)
    for (std::size_t i = documents.first[d]; i < documents.first[d + 1]; ++i)
      for (int n = 0; n < documents.numbers[i]; ++n) tokens.emplace_back(d, documents.words[i]);
  double sum_alpha = 0, total = 0;
  for (const double each : share_prior) sum_alpha += each;
  Enumerated out{0, -1e300, std::vector<double>(D * K), std::vector<double>(D * K),
                 std::vector<double>(K * V)};
  std::vector<std::size_t> topic(tokens.size(), 0);
  while (true) {
    std::vector<std::vector<double>> of_document(D, std::vector<double>(K)),
        of_topic(K, std::vector<double>(V));
    std::vector<double> lengths(D), sizes(K);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      of_document[tokens[t].first][topic[t]] += 1, lengths[tokens[t].first] += 1;
      of_topic[topic[t]][tokens[t].second] += 1, sizes[topic[t]] += 1;
    }
    double log_p = 0;
    for (const auto& counts : of_document) log_p += log_polya(share_prior, counts);
    for (std::size_t k = 0; k < K; ++k) log_p += log_polya(word_prior[k], of_topic[k]);
    const double p = std::exp(log_p);
    out.log_best = std::max(out.log_best, log_p);
    total += p;
    for (std::size_t d = 0; d < D; ++d)
      for (std::size_t k = 0; k < K; ++k) {
        const double a = share_prior[k] + of_document[d][k], s = sum_alpha + lengths[d];
        out.share_means[d * K + k] += p * a / s;
        out.share_squares[d * K + k] += p * a * (a + 1) / (s * (s + 1));
      }
    for (std::size_t k = 0; k < K; ++k) {
      double s = sizes[k];
      for (const double each : word_prior[k]) s += each;
      for (std::size_t w = 0; w < V; ++w)
        out.topic_means[k * V + w] += p * (word_prior[k][w] + of_topic[k][w]) / s;
    }
    std::size_t t = 0;
    while (t < topic.size() && ++topic[t] == K) topic[t++] = 0;
    if (t == topic.size()) break;
  }
  out.log_evidence = std::log(total);
  for (auto* each : {&out.share_means, &out.share_squares, &out.topic_means})
    for (double& value : *each) value /= total;
  return out;
}

std::vector<double> flat(const std::vector<std::vector<double>>& rows) {
  std::vector<double> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// Topics that the prior tells apart, since else all means are equal by symmetry.
TEST(Topics, AreNearTheSumOverAllAssignments) {
  const std::vector<double> shares{0.8, 1.2};
  const std::vector<std::vector<double>> prior{{4, 1, 0.5, 1}, {0.5, 1, 4, 2}};
  const Documents documents(4, {{3, 1, 0, 1}, {0, 1, 3, 1}, {2, 0, 2, 0}});
  const Enumerated exact = enumerate(documents, shares, prior);
  const TopicBeliefs found = topic_beliefs(
      documents.view(),
      {.topics = 2, .share_prior = shares, .word_prior = flat(prior), .tolerance = 1e-10});
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.log_evidence_bound, exact.log_evidence);
  EXPECT_GT(found.log_evidence_bound,
            exact.log_best);  // the bound that this assignment alone would give
  for (std::size_t k = 0; k < 2; ++k) {
    double sum = 0;
    for (std::size_t w = 0; w < 4; ++w) sum += found.words[k * 4 + w];
    for (std::size_t w = 0; w < 4; ++w)
      EXPECT_NEAR(found.words[k * 4 + w] / sum, exact.topic_means[k * 4 + w], 0.02);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const double a = found.shares[d * 2], s = a + found.shares[d * 2 + 1];
    const double mean = exact.share_means[d * 2];
    const double sd = std::sqrt(exact.share_squares[d * 2] - mean * mean);
    EXPECT_NEAR(a / s, mean, kTenth * sd);
    EXPECT_NEAR(std::sqrt(a / s * (1 - a / s) / (s + 1)), sd, kTenth * sd);
  }
}

// Topics that are all but known: the shares are then those of a mixture with known parts.
TEST(Topics, SharesOfNewDocumentsAreWithinATenthOfTheirStandardDeviations) {
  const std::vector<std::vector<double>> prior{{5e8, 3e8, 2e8}, {1e8, 3e8, 6e8}, {1e8, 8e8, 1e8}};
  const std::vector<double> shares{0.5, 1, 2};
  const TopicBeliefs topics =
      topic_beliefs(Documents(3, {{1, 0, 0}}).view(),
                    {.topics = 3, .share_prior = shares, .word_prior = flat(prior)});
  for (const std::vector<double>& document :
       std::vector<std::vector<double>>{{3, 2, 1}, {0, 0, 6}, {1, 0, 0}, {0, 9, 0}}) {
    const Documents alone(3, {document});
    const Enumerated exact = enumerate(alone, shares, prior);
    const std::vector<double> found = topic_shares(topics, alone.view());
    const double s = found[0] + found[1] + found[2];
    for (std::size_t k = 0; k < 3; ++k) {
      const double mean = exact.share_means[k], share = found[k] / s;
      const double sd = std::sqrt(exact.share_squares[k] - mean * mean);
      EXPECT_NEAR(share, mean, kTenth * sd) << document[0] << " " << k;
      EXPECT_NEAR(std::sqrt(share * (1 - share) / (s + 1)), sd, kTenth * sd)
          << document[0] << " " << k;
    }
  }
}

// One topic: no word is in doubt, and all is conjugate.
TEST(Topics, OneTopicIsExact) {
  const Documents documents(3, {{2, 0, 5}, {1, 1, 0}});
  const TopicBeliefs found = topic_beliefs(
      documents.view(), {.topics = 1, .share_prior = {0.7}, .word_prior = {0.5, 1, 2}});
  EXPECT_NEAR(found.words[0], 3.5, 1e-12);
  EXPECT_NEAR(found.words[1], 2, 1e-12);
  EXPECT_NEAR(found.words[2], 7, 1e-12);
  EXPECT_NEAR(found.log_evidence_bound, log_polya({0.5, 1, 2}, {3, 1, 5}), 1e-10);
  const std::vector<double> shares = topic_shares(found, documents.view());
  const double expected = 2 * std::log(0.28) + 5 * std::log(0.56) + std::log(0.28) + std::log(0.16);
  EXPECT_NEAR(word_log_likelihood(found, shares, documents.view()), expected, 1e-10);
}

Documents made_documents(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Documents out(12);
  for (std::size_t d = 0; d < count; ++d) {
    std::vector<double> document(12, 0.0);
    const std::size_t topic = random() % 3;  // four words each
    for (int n = 0; n < 30; ++n) {
      const std::size_t from = random() % 10 == 0 ? random() % 3 : topic;
      document[4 * from + random() % 4] += 1;
    }
    out.add(document);
  }
  return out;
}

TEST(Topics, AreFoundAgain) {
  const Documents documents = made_documents(60, 5);
  const TopicBeliefs found =
      topic_beliefs(documents.view(), {.topics = 3, .share_prior = {0.3}, .word_prior = {0.1}});
  EXPECT_TRUE(found.converged);
  std::set<std::size_t> groups;
  for (std::size_t k = 0; k < 3; ++k) {
    double total = 0, best = 0;
    std::size_t of_best = 0;
    for (std::size_t group = 0; group < 3; ++group) {
      double mass = 0;
      for (std::size_t w = 4 * group; w < 4 * group + 4; ++w) mass += found.words[k * 12 + w];
      total += mass;
      if (mass > best) best = mass, of_best = group;
    }
    EXPECT_GT(best / total, 0.95);
    groups.insert(of_best);
  }
  EXPECT_EQ(groups.size(), 3U);
}

TEST(Topics, SeedsGiveTheSameBits) {
  const Documents documents = made_documents(40, 6);
  TopicOptions options{.topics = 4, .starts = 1, .seed = 7};
  const TopicBeliefs one = topic_beliefs(documents.view(), options);
  EXPECT_EQ(one.words, topic_beliefs(documents.view(), options).words);
  options.seed = 8;
  EXPECT_NE(one.words, topic_beliefs(documents.view(), options).words);
}

// The first of several starts is the one that a single start makes.
TEST(Topics, TheBestOfSeveralStartsGoesOn) {
  const Documents documents = made_documents(40, 6);
  double most_gained = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    TopicOptions options{
        .topics = 8, .share_prior = {0.05}, .word_prior = {0.05}, .starts = 1, .seed = seed};
    const double one = topic_beliefs(documents.view(), options).log_evidence_bound;
    options.starts = 6;
    const double gained = topic_beliefs(documents.view(), options).log_evidence_bound - one;
    EXPECT_GT(gained, -1) << seed;
    most_gained = std::max(most_gained, gained);
  }
  EXPECT_GT(most_gained, 10);
}

TEST(Topics, PassesEndWhenAsked) {
  const Documents documents = made_documents(40, 9);
  int asked = 0;
  TopicOptions options{.topics = 3, .tolerance = 0, .starts = 1};
  options.go_on = [&] { return ++asked < 5; };
  EXPECT_EQ(topic_beliefs(documents.view(), options).passes, 5U);
  EXPECT_FALSE(
      topic_beliefs(documents.view(), {.topics = 3, .limit = 2, .tolerance = 0}).converged);
}

TEST(Topics, HostileCountsLeaveProperBeliefs) {
  const std::vector<std::vector<std::vector<double>>> corpora{
      {},                                          // no document
      {{0, 0, 0}},                                 // one without words
      {{0, 0, 0}, {1, 0, 0}},                      // one word
      {{1e6, 1e6, 0}, {1e6, 0, 1}, {0, 0.25, 0}},  // many, and parts of one
      {{1e300, 0, 1}, {0, 1e-300, 0}},
  };
  for (const auto& corpus : corpora)
    for (const double prior : {1e-6, 0.1, 1e6}) {
      const Documents documents(3, corpus);
      const TopicBeliefs found =
          topic_beliefs(documents.view(),
                        {.topics = 4, .share_prior = {prior}, .word_prior = {prior}, .limit = 60});
      for (const double each : found.words) EXPECT_TRUE(each > 0 && std::isfinite(each));
      for (const double each : found.shares) EXPECT_TRUE(each > 0 && std::isfinite(each));
      for (const double each : topic_shares(found, documents.view()))
        EXPECT_TRUE(each > 0 && std::isfinite(each));
      EXPECT_TRUE(std::isfinite(found.log_evidence_bound));
    }
}

TEST(Topics, MistakesAreNamed) {
  const Documents documents(3, {{1, 2, 0}});
  const auto said = [&](const TopicOptions& options) {
    return complaint([&] { topic_beliefs(documents.view(), options); });
  };
  EXPECT_EQ(said({.topics = 0}), "topics = 0: must be at least 1");
  EXPECT_EQ(said({.topics = 2, .share_prior = {-1}}),
            "share_prior = -1: must be a finite number above 0");
  EXPECT_EQ(said({.topics = 2, .share_prior = {1, 1, 1}}),
            "share_prior = 3: must be one number, or 2");
  EXPECT_EQ(said({.topics = 2, .word_prior = {1, 0, 1}}),
            "word_prior[1] = 0: must be a finite number above 0");
  EXPECT_EQ(
      said({.topics = 2, .word_prior = {1, 1}}),
      "word_prior = 2: must be one number, one for each of 3 words, or 6 for words of topics");
  EXPECT_EQ(said({.topics = 2, .starts = 0}), "starts = 0: must be at least 1");
  Documents wrong = documents;
  wrong.words[1] = 3;
  EXPECT_EQ(complaint([&] { topic_beliefs(wrong.view(), {}); }),
            "words[1] = 3: must be below the vocabulary's 3");
  wrong = documents;
  wrong.numbers[0] = -1;
  EXPECT_EQ(complaint([&] { topic_beliefs(wrong.view(), {}); }),
            "numbers[0] = -1: must be finite and at least 0");
  wrong = documents;
  wrong.first = {1, 2};
  EXPECT_EQ(complaint([&] { topic_beliefs(wrong.view(), {}); }),
            "first: must begin with 0 and never fall");
  const TopicBeliefs found = topic_beliefs(documents.view(), {.topics = 2});
  EXPECT_EQ(complaint([&] {
              topic_shares(found, Documents(4, {{1, 0, 0, 1}}).view());
            }),
            "vocabulary = 4: must be that of the topics, 3");
  EXPECT_EQ(complaint([&] { word_log_likelihood(found, {}, documents.view()); }),
            "shares = 0: must be 2 for each of 1 documents");
}

}  // namespace
}  // namespace postrider::graph
