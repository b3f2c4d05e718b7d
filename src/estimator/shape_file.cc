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

std::string bytes_of(const LearnedShape& shape) {
  std::ostringstream out;
  write_model(out, shape.classifier().model, shape.classifier().options);
  return std::move(out).str();
}

}  // namespace

std::vector<std::uint32_t> words_of(const LearnedShape* shape) {
  if (!shape) return {};
  const std::string bytes = bytes_of(*shape);
  std::vector<std::uint32_t> out((bytes.size() + kWord - 1) / kWord);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

void describe_shape(const LearnedShape& shape, std::map<std::string, std::string>& metadata) {
  metadata[kShare] = shortest_text(shape.share());
  metadata[kBytes] = std::to_string(bytes_of(shape).size());
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
