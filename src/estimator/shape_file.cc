#include "estimator/shape_file.h"

#include <cstring>
#include <sstream>

#include "base/number_text.h"
#include "estimator/description.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr const char *kShare = "shape.share", *kBytes = "shape.bytes";
constexpr std::size_t kWord = sizeof(std::uint32_t);

}  // namespace

ShapeWords words_of(const LearnedShape* shape) {
  if (!shape) return {};
  std::ostringstream stream;
  write_model(stream, shape->classifier().model, shape->classifier().options);
  const std::string bytes = std::move(stream).str();
  ShapeWords out{std::vector<std::uint32_t>((bytes.size() + kWord - 1) / kWord), bytes.size()};
  std::memcpy(out.words.data(), bytes.data(), bytes.size());
  return out;
}

void describe_shape(const LearnedShape& shape, const ShapeWords& stored,
                    std::map<std::string, std::string>& metadata) {
  metadata[kShare] = shortest_text(shape.share());
  metadata[kBytes] = std::to_string(stored.bytes);
}

std::shared_ptr<const LearnedShape> read_shape(SafetensorsReader& file, const Description& from,
                                               std::size_t columns) {
  if (!file.has(kShapeArray)) return {};
  const std::vector<std::size_t> shape = file.shape(kShapeArray);
  const auto bytes = from.read<std::size_t>(kBytes);
  if (shape.size() != 1 || bytes > shape[0] * kWord || bytes + kWord <= shape[0] * kWord)
    from.fail("its learned shape has another size than it says");
  std::vector<std::uint32_t> words(shape[0]);
  file.read<std::uint32_t>(kShapeArray, shape, words);
  std::string text(bytes, '\0');
  std::memcpy(text.data(), words.data(), bytes);
  std::istringstream stream(std::move(text));
  try {
    StoredModel classifier = read_model(stream, {ModelKind::classifier});
    if (classifier.model.inputs.columns() != columns + 2)
      from.fail("its learned shape is of other columns");
    return std::make_shared<const LearnedShape>(std::move(classifier), from.read<double>(kShare));
  } catch (const InvalidArgument& error) {
    from.fail(error.what());
  }
}

}  // namespace postrider::internal
