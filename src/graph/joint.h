// One Gaussian belief over all variables of a model: exact where all factors are Gaussian, by expectation propagation around a sparse
// precision matrix where some are not.
//
//   p(x) ~ prod_r N(a_r' x; b_r, 1/p_r)  prod_s exp(c_s - (x_s - m_s)' P_s (x_s - m_s)/2)  prod_i f_i(A_i x),
//
// with f_i of up to three combinations of few variables each. The belief is q(x) = N(x; Q^-1 h, Q^-1) with
//
//   Q = sum p_r a_r a_r' + sum P_s + sum A_i' R_i A_i,   h = sum p_r b_r a_r + sum P_s m_s + sum A_i' tau_i,
//
// where (tau_i, R_i) is the message of site i (factor/site.h). Where scalar messages take the variables of a factor for independent,
// this belief knows how they are correlated: its standard deviations are the model's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "factor/site.h"
#include "math/sparse_precision.h"
#include "postrider/graph/model.h"

namespace postrider::internal {

// Linear combinations of variables, `edges` of them in each row: z_re = sum_k weights[r, e, k] x[variable(r, k)].
struct LinearTerms {
  std::size_t rows = 0, width = 0, edges = 1;
  std::vector<std::uint32_t> variables;  // `width` for each row, or once for all rows
  std::vector<double> weights;           // rows x edges x width

  bool is_shared() const { return variables.size() == width; }
  std::span<const std::uint32_t> of_row(std::size_t row) const {
    return std::span(variables).subspan(is_shared() ? 0 : row * width, width);
  }
  std::span<const double> weights_of(std::size_t row, std::size_t edge = 0) const {
    return std::span(weights).subspan((row * edges + edge) * width, width);
  }
};

struct GaussianTerms {
  LinearTerms terms;  // of one edge
  std::vector<double> targets, precisions;
};

// Gaussian factors of several variables at once; the precision may leave directions open.
struct BlockTerms {
  std::size_t rows = 0, width = 0;
  std::vector<std::uint32_t> variables;  // `width` for each row
  std::vector<double> precision;         // width x width, once for all rows or for each
  std::vector<double> means;             // width, once for all rows or for each
  std::vector<double> log_scales;        // c_s, once for all rows or for each

  std::span<const double> precision_of(std::size_t row) const {
    return part(precision, width * width, row);
  }
  std::span<const double> mean_of(std::size_t row) const { return part(means, width, row); }
  double log_scale_of(std::size_t row) const { return part(log_scales, 1, row)[0]; }

 private:
  static std::span<const double> part(const std::vector<double>& all, std::size_t size,
                                      std::size_t row) {
    return std::span(all).subspan(all.size() == size ? 0 : row * size, size);
  }
};

class JointModel {
 public:
  explicit JointModel(std::size_t variables = 0) : size_(variables) {}

  std::size_t size() const { return size_; }
  void add_variables(std::size_t count);
  using Report = graph::Model::Report;
  using Options = graph::Model::Options;

  // Each returns its number among those of its kind.
  std::size_t add_gaussian(GaussianTerms terms);
  std::size_t add_block(BlockTerms terms);
  std::size_t add_sites(LinearTerms terms, std::shared_ptr<const SiteRule> rule);

  // Numbers may change between runs, sizes and variables may not.
  GaussianTerms& gaussian(std::size_t which) { return gaussians_[which]; }
  BlockTerms& block(std::size_t which) { return blocks_[which]; }
  const LinearTerms& site_terms(std::size_t which) const { return sites_[which].terms; }

  // Their numbers stay; they have no rows any more.
  void remove_gaussian(std::size_t which);
  void remove_block(std::size_t which);
  void remove_sites(std::size_t which);

  // From the messages that are there.
  Report infer(const Options& options = {});
  // Else the model leaves some direction open, and nothing can be asked.
  bool is_proper() const { return is_proper_; }
  void forget_messages();
  std::span<SiteMessage> messages(std::size_t which) { return sites_[which].messages; }
  std::span<const SiteMessage> messages(std::size_t which) const { return sites_[which].messages; }

  // After a run that left a proper belief.
  std::span<const double> mean() const { return mean_; }
  std::span<const double> variances() const { return covariances_.variances; }
  // x <- Q^-1 x, and the column of Q^-1 of one variable.
  void solve(std::span<double> x) const { precision_->solve(x); }
  std::vector<double> covariances_with(std::uint32_t variable) const;
  // log of the integral of all factors; approximate where there are sites. After a run.
  double log_evidence() const { return log_evidence_; }
  // Independent standard normal numbers become a draw.
  void draw(std::span<double> x) const;
  // log q(x), and log p(x) as above.
  double log_belief(std::span<const double> x) const;
  // For several points, one after the other; without some of the blocks.
  void log_model(std::span<const double> points, std::span<double> out,
                 std::span<const std::size_t> without_blocks = {}) const;

 private:
  struct Site {
    LinearTerms terms;
    std::shared_ptr<const SiteRule> rule;
    std::vector<SiteMessage> messages;
    std::vector<Tilted> tilted;
    std::vector<SiteMoments> beliefs, cavities;  // of z, in the present sweep
    std::size_t first_entry = 0;                 // of its own among all entries
  };

  void analyse();
  void set_fixed_values();
  bool update_belief();
  SiteMoments moments_of(const Site& site, std::size_t row) const;
  void tilt(Site& site) const;
  double propose(const Site& site, std::vector<SiteMessage>& proposals, Report& record) const;
  bool step_towards(const std::vector<std::vector<SiteMessage>>& proposals, double& share,
                    Report& record);
  double evidence(Report& record) const;
  double log_gaussians(std::span<const double> x,
                       std::span<const std::size_t> without_blocks = {}) const;

  std::size_t size_;
  std::vector<GaussianTerms> gaussians_;
  std::vector<BlockTerms> blocks_;
  std::vector<Site> sites_;

  std::optional<SparsePrecision> precision_;
  std::vector<SparsePrecision::Entry> entries_;
  std::size_t fixed_entries_ = 0;  // those of Gaussian factors come first
  std::vector<double> values_, information_, fixed_information_, mean_;
  SparsePrecision::Covariances covariances_;
  double log_evidence_ = 0;
  bool is_proper_ = false;
};

}  // namespace postrider::internal
