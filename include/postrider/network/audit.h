// What can be shown about a trained model: how far its messages are from the exact ones, and which
// inputs matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/export.h"
#include "postrider/graph/factor.h"
#include "postrider/network/network.h"
#include "postrider/network/trainer.h"

namespace postrider::network {

// --- the certificate of a network --------------------------------------------------------------------
//
// Some rows are swept forwards and backwards as if they were learned next. Of the messages that are
// sent in each layer, some are drawn at random and compared with the exact messages, by quadrature.

struct POSTRIDER_EXPORT NetworkCertificate {
  struct POSTRIDER_EXPORT Options {
    std::uint64_t seed = 1;
    std::size_t rows = 8;  // drawn at random from those given
    // Drawn in each layer for each kind of message, among those that are not exact by their form.
    std::size_t messages = 40;
    // In nats: a belief that is further than this from the exact one is an inconsistency. 0.1 is a mean
    // off by 0.45 standard deviations, or a standard deviation too wide by 40 %.
    double kl_limit = 0.1;
    unsigned threads = 1;  // does not change the result

    void validate() const;  // throws InvalidArgument
  };

  // How numbers, which may be infinite, are spread.
  struct Spread {
    std::size_t count = 0;
    double median = 0, high = 0, largest = 0;  // `high`: 95 % are at most this
  };

  enum class Direction { forward, backward };

  // The messages of one kind in one layer. KL divergences are in nats.
  //
  //   message KL    delta = KL(exact message || message sent)
  //   marginal KL   the same after both were multiplied with what came in on the edge: what the error
  //                 of this message does to the belief
  //   bound         the master theorem's on the marginal KL: ||incoming||_inf/Z delta
  //
  // The theorem asks for an exact message of finite mass, a finite delta, and a proper message coming
  // in. Where one of these is missing there is no bound; the marginal KL mostly still exists.
  struct Messages {
    std::size_t layer = 0;   // from 1
    std::string factor, to;  // such as "product" and "weight"
    Direction direction = Direction::forward;
    graph::Rule rule = graph::Rule::exact;

    std::size_t sent = 0;      // in the rows looked at
    std::size_t exact = 0;     // of these, exact by their form
    std::size_t compared = 0;  // of the others, drawn and compared by quadrature

    // Those compared that have no bound, by the first condition that is not fulfilled.
    std::size_t infinite_mass = 0;  // the exact message is improper, as that of a product mostly is
    std::size_t infinite_kl = 0;  // delta is infinite: the message says nothing, or a kink has mass
    std::size_t nothing_came_in = 0;  // on the edge itself
    std::size_t outside() const { return infinite_mass + infinite_kl + nothing_came_in; }
    // Those of infinite mass where the paper's other theorem speaks: all that came in is at least
    // two standard deviations from zero. It holds for the direct rule and leaves its constant open.
    std::size_t concentrated = 0;

    Spread message_kl, bound, marginal_kl;  // count: how many there are
    // Backward messages only, since they form the beliefs: marginal KLs above the limit of the options.
    // Forward ones have the right moments and not the right shape, which sums of many forget.
    std::size_t inconsistent = 0;
    double largest_ratio = 0;    // of a marginal KL to its bound
    std::size_t violations = 0;  // ratios above 1: a mistake of ours

    // Counts over all that were sent.
    std::array<std::size_t, graph::kEventCount> events{};
    std::size_t silent = 0;    // said nothing
    std::size_t improper = 0;  // negative precisions and NaN: a mistake of ours
  };

  // What guards did when the engine that trains learned all rows given, one after the other, in the
  // network's own precision; see EpochReport.
  struct Guards {
    std::size_t rows = 0, activations = 0;  // backward messages of activations
    std::size_t linearised = 0, silent = 0, guarded = 0;
  };

  std::size_t rows = 0;  // looked at
  std::size_t weights = 0;
  graph::Rule rule = graph::Rule::conditioned;
  double kl_limit = 0;  // that of the options
  std::vector<Messages> messages;
  Guards guards;

  std::size_t compared() const;  // with exact messages, of all kinds
  // Beliefs further than the limit from the exact ones, violations of the bound, improper messages.
  std::size_t inconsistent() const;
  // Among the backward messages compared, the farthest that one brings a belief from the exact one.
  double largest_belief_kl() const;
  // Whether no inconsistency was found. This is about the messages of these rows: what the predictions
  // are worth, only held-out rows tell.
  bool passed() const { return inconsistent() == 0; }
};

POSTRIDER_EXPORT std::string_view to_string(NetworkCertificate::Direction direction);

// Rows as the trainer takes them, in standardised units, and the noise as Trainer::noise_variance() has it. Rows without any target
// are not drawn; there must be one that has. Weights and groups of rows have no part in it.
POSTRIDER_EXPORT NetworkCertificate certify_network(
    const Network& network, const Examples& rows, Likelihood likelihood,
    std::span<const double> noise_variance, const NetworkCertificate::Options& options = {});

// A table for people, and the same as JSON, with null for what is not finite.
POSTRIDER_EXPORT std::string to_text(const NetworkCertificate& certificate);
POSTRIDER_EXPORT std::string to_json(const NetworkCertificate& certificate);

// --- which inputs matter: from the beliefs -----------------------------------------------------------

// How the outputs answer to one input, for a row about which nothing is known: the slope of the
// outputs in it, in standard deviations of the target per standard deviation of the input. Weights are as the beliefs
// have them, and each unit is on the one or the other side of its kink as likely as the beliefs say.
struct InputInfluence {
  double slope = 0;     // its mean, of the output with the largest
  double std = 0;       // of that slope: over weights and over sides of kinks
  double strength = 0;  // root of its mean square, summed over outputs: for ranking
  double nats = 0;      // KL of the beliefs in the input's weights from their priors
};

// Per input. Only the first `outputs` count; 0: all. Where the noise varies, the first half are means.
POSTRIDER_EXPORT std::vector<InputInfluence> input_influence(const Network& network,
                                                             std::size_t outputs = 0);

// --- which inputs matter: by permutation -------------------------------------------------------------

// By how much the score falls, on average over permutations.
struct PermutationLoss {
  struct POSTRIDER_EXPORT Options {
    std::size_t repeats = 10;  // at least 2
    std::uint64_t seed = 1;

    void validate() const;  // throws InvalidArgument
  };

  double mean = 0, standard_error = 0;
};

// How good a model is on these rows of inputs, in their order; higher is better. For example a mean
// log-likelihood of the rows' targets.
using RowScore = std::function<double(std::span<const double> inputs)>;

// One group of columns after the other is shuffled over the rows, all columns of a group alike, and
// the rows are scored. A group holds the columns that one input of the user's was encoded as.
POSTRIDER_EXPORT std::vector<PermutationLoss> permutation_importance(
    std::span<const double> inputs, std::size_t columns,
    const std::vector<std::vector<std::size_t>>& groups, const RowScore& score,
    const PermutationLoss::Options& options = {});

// Scores of each row by itself, all of a row together, of one kind or of several; higher is better.
using ScoresOfEachRow = std::function<std::vector<double>(std::span<const double> inputs)>;

// The same for each group and each kind of score. The standard error is over rows, each row's loss being its mean over
// permutations: how far the loss would differ on other rows like these.
POSTRIDER_EXPORT std::vector<std::vector<PermutationLoss>> permutation_losses(
    std::span<const double> inputs, std::size_t columns,
    const std::vector<std::vector<std::size_t>>& groups, const ScoresOfEachRow& scores,
    const PermutationLoss::Options& options = {});

}  // namespace postrider::network
