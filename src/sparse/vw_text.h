// Vowpal Wabbit's text form, one row per line:
//
//   [label [weight [base]]] ['tag]|[field[:scale]] name[:value] ... |field ...
//
// A name without a value has the value 1; a field's scale multiplies its values; a tag is passed over. A base, which would be
// added to the score, is refused unless it is 0.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "data/text_window.h"
#include "postrider/sparse/model.h"

namespace postrider::internal::hashed {

class VwReader {
 public:
  explicit VwReader(TextWindow window) : window_(std::move(window)) {}

  // Adds the next row; its target is NaN if it has none. False at the end. Throws CorruptFile, naming the line.
  bool read(sparse::FeatureRows& to);

 private:
  void read_label(std::string_view text, sparse::FeatureRows& to);
  void read_field(std::string_view text, sparse::FeatureRows& to);
  double number(std::string_view text, std::string_view of) const;

  TextWindow window_;
  std::size_t line_ = 0;
};

// Whether the first line that is not blank is of this form.
bool looks_like_vw(std::string_view text);

}  // namespace postrider::internal::hashed
