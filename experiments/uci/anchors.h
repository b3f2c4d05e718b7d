// What others report on the same splits.
#pragma once

#include <string>
#include <vector>

namespace postrider::experiments {

struct Score {
  double error, likelihood;  // root mean square error, mean log-likelihood
};

struct Anchors {
  std::string set;
  Score pbp, tagi, dropout_2016, dropout_2018, ensembles;
  double variational;  // DVI, heteroscedastic: log-likelihood
  double variational_homoscedastic;
  Score pbp_standard_error;
};

const Anchors& anchors_of(const std::string& set);

}  // namespace postrider::experiments
