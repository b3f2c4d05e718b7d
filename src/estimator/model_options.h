// The options of an estimator in the metadata of its file: all on which further learning depends.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "estimator/model_file.h"
#include "postrider/estimator_options.h"

namespace postrider::internal {

// One entry for each option, as `option.<name>`; not those of a run alone, such as
// threads, nor those that the networks show.
void describe_options(const EstimatorOptions& options, std::map<std::string, std::string>& to);

// What a file says; of what it does not say, as one of version 0.1 says nothing, what the model shows.
// Throws InvalidArgument if it makes no sense.
EstimatorOptions options_of(const std::map<std::string, std::string>& metadata,
                            const FittedModel& model);

// --- How wide a network the examples can fill.

// Whether the widths of the hidden layers are left to the number of rows: {0}.
bool is_chosen(const std::vector<std::size_t>& hidden);

// Whether these are the hidden layers of networks for many rows.
bool are_for_many_rows(const std::vector<std::size_t>& hidden);

// The hidden layers where none are asked for: three of 100 units where there are 1.5 rows for each of their weights, else two of
// 50. What was measured is in docs/design/trials.md.
std::vector<std::size_t> chosen_widths(std::size_t inputs, std::size_t outputs, std::size_t rows);

// The widths of the hidden layers, those asked for or chosen, none wider, narrowed to one common limit where the
// network would otherwise have more than `weights_per_example` weights for each row; 0 narrows nothing.
//
// Why: beliefs are factorised. Each of the n weights of a sum keeps about 1/n of its variance, and
// with more weights than examples no number of passes brings that variance down: P equal weights and N
// examples give the sum a variance v = (v + noise) P/N, which has a solution below P = N only. Above,
// the belief stays near the prior and the network hardly learns (docs/design/trials.md).
std::vector<std::size_t> widths_for(const std::vector<std::size_t>& asked, std::size_t inputs,
                                    std::size_t outputs, std::size_t rows,
                                    double weights_per_example);

// --- A message that is raised to the power T speaks for T copies of its row. They can be left out together
// while the row is learned, or one of them at a time, which is to keep the share 1 - 1/T of the message
// (damping). Both are fixed points of power expectation propagation. Where functions bend much and noise is
// low the second finds beliefs that predict better; where noise is high it learns the noise, and rows that networks have not
// seen end training before it does.

// The share of messages that networks of so many weights keep while they learn with this power.
double damping_for(const EstimatorOptions& options, double power, std::size_t weights);

}  // namespace postrider::internal
