// The fields of SparseOptions as rows of a table.
#include "base/option.h"
#include "postrider/error.h"
#include "postrider/sparse/model.h"

namespace postrider::internal {

template <>
struct ChoiceNames<sparse::SparseOptions::Target> {
  static constexpr std::array<std::pair<std::string_view, sparse::SparseOptions::Target>, 3> all{
      {{"logistic", sparse::SparseOptions::Target::logistic},
       {"probit", sparse::SparseOptions::Target::probit},
       {"number", sparse::SparseOptions::Target::number}}};
};

}  // namespace postrider::internal

namespace postrider::sparse {
using namespace internal;

namespace {

constexpr double kMostPasses = 10'000, kMostLatent = 256;

using Row = OptionRow<SparseOptions>;

const std::vector<Row>& rows() {
  using Options = SparseOptions;
  static const std::vector<Row> all{
      option_row<&Options::target>(
          {.name = "target",
           .command_line = "--target",
           .python = "target",
           .help = "What is predicted: two classes, by a logistic or a probit link, or a number."}),
      option_row<&Options::passes>({.name = "passes",
                                    .command_line = "--passes",
                                    .python = "passes",
                                    .least = 1,
                                    .most = kMostPasses,
                                    .help = "Passes over the rows of a fit; more than one keeps "
                                            "them in memory."}),
      option_row<&Options::latent>(
          {.name = "latent",
           .command_line = "--latent",
           .python = "latent",
           .most = kMostLatent,
           .help = "Numbers of each input's latent vector, whose products between fields are added "
                   "to the score; 0: none."}),
      option_row<&Options::drift>({.name = "drift",
                                   .command_line = "--drift",
                                   .python = "drift",
                                   .help =
                                       "Whether beliefs drift from row to row, at a rate that is "
                                       "found out; for streams whose rules change."}),
      option_row<&Options::seed>({.name = "seed",
                                  .command_line = "--seed",
                                  .python = "seed",
                                  .help = "Seed of the latent vectors' first means."}),
  };
  return all;
}

const Row& row_of(std::string_view name) { return row_named(rows(), name, "option"); }

}  // namespace

const std::vector<OptionInfo>& sparse_options() {
  static const std::vector<OptionInfo> all = infos_of(rows());
  return all;
}

OptionValue get_sparse_option(const SparseOptions& options, std::string_view name) {
  return row_of(name).get(options);
}

void set_sparse_option(SparseOptions& options, std::string_view name, const OptionValue& value,
                       OptionInfo::Spelling spelling) {
  const Row& row = row_of(name);
  row.info.expect(value, spelling);
  row.set(options, value);
}

void SparseOptions::validate() const { expect_options(rows(), *this, OptionInfo::Spelling::cpp); }

}  // namespace postrider::sparse
