// The reader of Vowpal Wabbit's text: the same rows however the text is cut, and a model that learns whatever can be read.
#include <cmath>

#include "base/check.h"
#include "data/byte_source.h"
#include "fuzz/entry.h"
#include "postrider/error.h"
#include "sparse/vw_text.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kMostBytesPerRow = 4096;

bool read(const std::string& text, std::size_t piece, sparse::FeatureRows& rows) {
  try {
    hashed::VwReader reader(
        TextWindow(memory_bytes(text, "rows", piece), "rows", kMostBytesPerRow));
    while (reader.read(rows)) {
    }
    return true;
  } catch (const CorruptFile&) {
    return false;
  }
}

}  // namespace
}  // namespace postrider

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postrider;
  if (size < 1) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  sparse::FeatureRows whole, pieces;
  const bool is_read = read(text, SIZE_MAX, whole);
  check(is_read == read(text, 1 + data[0] % 16, pieces), "pieces are read as the whole is");
  if (!is_read) return 0;
  check(whole.keys == pieces.keys && whole.values == pieces.values && whole.ends == pieces.ends,
        "pieces have the same rows");
  try {
    sparse::SparseModel model;
    model.update(whole);
    for (const sparse::SparseModel::Prediction& one : model.predict(whole))
      check(one.probability >= 0 && one.probability <= 1, "a probability",
            {{"probability", one.probability}});
  } catch (const InvalidArgument&) {
    // Rows that cannot be learned, such as those without a target.
  }
  return 0;
}
