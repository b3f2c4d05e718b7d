#include "estimator/shape_file.h"

#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include "base/number_text.h"
#include "estimator/description.h"
#include "estimator/encoding_file.h"
#include "estimator/network_file.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr const char *kClassifier = "shape.classifier", *kShare = "shape.share",
                     *kBytes = "shape.bytes";
constexpr const char *kRows = "neighbours.rows", *kScores = "neighbours.scores",
                     *kKnots = "neighbours.knots", *kKnotsTo = "neighbours.knots_to",
                     *kKnotCounts = "neighbours.knot_counts";
constexpr const char *kLength = "neighbours.length", *kCorrelation = "neighbours.correlation",
                     *kNeighbourShare = "neighbours.share";
constexpr const char* kShapeRows = "shape.rows_learned";
constexpr std::size_t kWord = sizeof(std::uint32_t);

std::vector<std::uint32_t> read_words(SafetensorsReader& file, const Description& from,
                                      const char* name) {
  std::vector<std::uint32_t> out(length_of(file, from, name));
  file.read<std::uint32_t>(name, {out.size()}, out);
  return out;
}

std::vector<double> read_numbers(SafetensorsReader& file, const Description& from,
                                 const char* name) {
  return read_doubles(file, name, length_of(file, from, name));
}

std::vector<DistanceScale> read_scales(SafetensorsReader& file, const Description& from,
                                       std::size_t columns) {
  const std::vector<std::uint32_t> counts = read_words(file, from, kKnotCounts);
  const std::vector<double> at = read_numbers(file, from, kKnots),
                            to = read_numbers(file, from, kKnotsTo);
  std::vector<DistanceScale> out;
  std::size_t first = 0;
  for (const std::uint32_t count : counts) {
    if (count > at.size() - first || at.size() != to.size())
      from.fail("its neighbours have another number of knots than they say");
    const auto part = [&](const std::vector<double>& of) {
      const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    out.emplace_back(part(at), part(to));
    first += count;
  }
  if (out.size() != columns || first != at.size()) from.fail("its neighbours are of other columns");
  return out;
}

std::optional<ResidualNeighbours> read_neighbours(SafetensorsReader& file, const Description& from,
                                                  std::size_t columns) {
  if (!file.has(kRows)) return {};
  const std::vector<double> rows = read_numbers(file, from, kRows);
  return ResidualNeighbours(read_scales(file, from, columns),
                            NearestRows(std::vector<float>(rows.begin(), rows.end()), columns),
                            read_numbers(file, from, kScores),
                            {from.read<double>(kLength), from.read<double>(kCorrelation),
                             from.read<double>(kNeighbourShare)});
}

std::unique_ptr<const BinShape> read_bins(SafetensorsReader& file, const Description& from,
                                          std::size_t columns) {
  if (!file.has(kClassifier)) return {};
  const std::vector<std::uint32_t> words = read_words(file, from, kClassifier);
  const auto bytes = from.read<std::size_t>(kBytes);
  if (bytes > words.size() * kWord || bytes + kWord <= words.size() * kWord)
    from.fail("its learned shape has another size than it says");
  std::string text(bytes, '\0');
  std::memcpy(text.data(), words.data(), bytes);
  std::istringstream stream(std::move(text));
  StoredModel classifier = read_model(stream, {ModelKind::classifier});
  if (classifier.model.inputs.columns() != columns)
    from.fail("its learned shape is of other columns");
  return std::make_unique<const BinShape>(std::move(classifier), from.read<double>(kShare));
}

void add_classifier(const BinShape& bins, ShapeArrays& to) {
  std::ostringstream stream;
  write_model(stream, bins.classifier().model, bins.classifier().options);
  const std::string bytes = std::move(stream).str();
  to.classifier.resize((bytes.size() + kWord - 1) / kWord);
  to.classifier_bytes = bytes.size();
  std::memcpy(to.classifier.data(), bytes.data(), bytes.size());
}

void add_neighbours(const ResidualNeighbours& neighbours, ShapeArrays& to) {
  for (const DistanceScale& scale : neighbours.scales()) {
    to.knots.insert(to.knots.end(), scale.at().begin(), scale.at().end());
    to.knots_to.insert(to.knots_to.end(), scale.to().begin(), scale.to().end());
    to.knot_counts.push_back(static_cast<std::uint32_t>(scale.at().size()));
  }
  to.rows.assign(neighbours.rows().numbers().begin(), neighbours.rows().numbers().end());
  to.scores = neighbours.scores();
}

}  // namespace

ShapeArrays arrays_of(const LearnedShape* shape) {
  ShapeArrays out;
  if (shape && shape->bins()) add_classifier(*shape->bins(), out);
  if (shape && shape->neighbours()) add_neighbours(*shape->neighbours(), out);
  return out;
}

void add_shape(const LearnedShape& shape, const ShapeArrays& arrays, ModelArrays& to,
               std::map<std::string, std::string>& metadata) {
  metadata[kShapeRows] = std::to_string(shape.rows_learned());
  if (const BinShape* bins = shape.bins()) {
    to.add(kClassifier, arrays.classifier);
    metadata[kShare] = shortest_text(bins->share());
    metadata[kBytes] = std::to_string(arrays.classifier_bytes);
  }
  if (const ResidualNeighbours* neighbours = shape.neighbours()) {
    to.add(kRows, arrays.rows);
    to.add(kScores, arrays.scores);
    to.add(kKnots, arrays.knots);
    to.add(kKnotsTo, arrays.knots_to);
    to.add(kKnotCounts, arrays.knot_counts);
    metadata[kLength] = shortest_text(neighbours->kernel().length);
    metadata[kCorrelation] = shortest_text(neighbours->kernel().correlation);
    metadata[kNeighbourShare] = shortest_text(neighbours->kernel().share);
  }
}

std::shared_ptr<const LearnedShape> read_shape(SafetensorsReader& file, const Description& from,
                                               std::size_t columns) {
  try {
    std::optional<ResidualNeighbours> neighbours = read_neighbours(file, from, columns);
    std::unique_ptr<const BinShape> bins =
        read_bins(file, from, columns + columns_besides(neighbours.has_value()));
    if (!neighbours && !bins) return {};
    return std::make_shared<const LearnedShape>(std::move(neighbours), std::move(bins),
                                                from.read<std::size_t>(kShapeRows));
  } catch (const InvalidArgument& error) {
    from.fail(error.what());
  }
}

}  // namespace postrider::internal
