#include "estimator/encoding_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Kinds are numbers in the file; they must not change.
constexpr std::array kEncodingKinds{Encoding::standard, Encoding::quantile, Encoding::piecewise,
                                    Encoding::bins, Encoding::relevance};

// A number of the file as a count, which `left` must still have.
std::size_t count_in(const Description& from, double number, std::size_t left) {
  if (!(number >= 0 && number <= static_cast<double>(left) && number == std::floor(number)))
    from.fail("the counts of \"encoding\" make no sense");
  return static_cast<std::size_t>(number);
}

std::vector<ColumnEncoding> columns_of(const Description& from, const EncodingArrays& arrays) {
  const std::size_t columns = arrays.kinds.size();
  for (const auto* each : {&arrays.means, &arrays.units, &arrays.knot_counts, &arrays.rank_counts})
    if (each->size() != columns) from.fail("the arrays of \"encoding\" have different sizes");
  std::vector<ColumnEncoding> out;
  std::size_t knot = 0, rank = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto part = [&](const std::vector<double>& all, std::size_t& first, double number) {
      const std::size_t count = count_in(from, number, all.size() - first);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      first += count;
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    const std::size_t kind = count_in(from, arrays.kinds[c], kEncodingKinds.size() - 1);
    ColumnEncoding column{kEncodingKinds[kind], arrays.means[c], arrays.units[c]};
    column.knots = part(arrays.knots, knot, arrays.knot_counts[c]);
    column.ranks = part(arrays.ranks, rank, arrays.rank_counts[c]);
    out.push_back(std::move(column));
  }
  return out;
}

}  // namespace

EncodingArrays::EncodingArrays(const InputEncoding& encoding)
    : unit{encoding.unit()},
      typical_means(encoding.typical_means()),
      typical_variances(encoding.typical_variances()) {
  for (const ColumnEncoding& column : encoding.columns()) {
    const auto kind = std::ranges::find(kEncodingKinds, column.kind) - kEncodingKinds.begin();
    kinds.push_back(static_cast<double>(kind));
    means.push_back(column.mean);
    units.push_back(column.unit);
    knot_counts.push_back(static_cast<double>(column.knots.size()));
    knots.insert(knots.end(), column.knots.begin(), column.knots.end());
    rank_counts.push_back(static_cast<double>(column.ranks.size()));
    ranks.insert(ranks.end(), column.ranks.begin(), column.ranks.end());
  }
}

std::vector<double> read_doubles(SafetensorsReader& file, const std::string& name,
                                 std::size_t size) {
  std::vector<double> out(size);
  file.read<double>(name, {size}, out);
  return out;
}

std::size_t length_of(const SafetensorsReader& file, const Description& from,
                      const std::string& name) {
  const std::vector<std::size_t> shape = file.shape(name);
  if (shape.size() != 1) from.fail("the array " + name + " has another shape than it says");
  return shape.front();
}

// Files of version 0.1 have none: all columns were standardised.
InputEncoding read_encoding(SafetensorsReader& file, const Description& from,
                            const Scales& columns) {
  if (!file.has("encoding.kinds")) return InputEncoding(columns);
  EncodingArrays arrays;
  arrays.for_each([&](const char* name, std::vector<double>& to) {
    to = read_doubles(file, name, length_of(file, from, name));
  });
  if (arrays.unit.size() != 1) from.fail("\"encoding.unit\" is not one number");
  try {
    return InputEncoding(columns_of(from, arrays), arrays.typical_means, arrays.typical_variances,
                         arrays.unit.front());
  } catch (const InvalidArgument& error) {
    from.fail(error.what());
  }
}

}  // namespace postrider::internal
