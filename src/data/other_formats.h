// Files that are often handed over in the place of text, told by their first bytes.
#pragma once

#include <string>
#include <string_view>

namespace postrider::internal {

// What a file is that is not text, and what to do about it; empty if it may be text.
std::string advice_on(std::string_view first_bytes);

// Throws CorruptFile with that advice.
void expect_text(std::string_view first_bytes, const std::string& name);

}  // namespace postrider::internal
