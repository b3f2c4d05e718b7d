#include "sparse/file_notes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "postrider/error.h"

namespace postrider::internal::hashed {
namespace {

std::string complaint_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const CorruptFile& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(FileNotes, OptionsComeBack) {
  const Metadata notes =
      notes_of("f 1", {.target = sparse::SparseOptions::Target::probit, .passes = 7, .seed = 9});
  const sparse::SparseOptions back = FileNotes("a", notes, "f 1").options();
  EXPECT_EQ(back.target, sparse::SparseOptions::Target::probit);
  EXPECT_EQ(back.passes, 7U);
  EXPECT_EQ(back.seed, 9U);
  EXPECT_EQ(notes.at("writer").substr(0, 10), "postrider ");
}

TEST(FileNotes, TellsWhatIsWrong) {
  Metadata notes = notes_of("f 1", {});
  EXPECT_EQ(complaint_of([&] { FileNotes("a", notes, "f 2"); }),
            "cannot read the sparse model a: it is not a sparse model of this version");
  const FileNotes file("a", notes, "f 1");
  EXPECT_EQ(complaint_of([&] { file.text("rows"); }),
            "cannot read the sparse model a: it does not say \"rows\"");
  notes["rows"] = "12x";
  EXPECT_EQ(complaint_of([&] { file.whole("rows"); }),
            "cannot read the sparse model a: \"rows\" is not a whole number");
  notes["rows"] = "12";
  EXPECT_EQ(file.whole("rows"), 12U);
  EXPECT_EQ(complaint_of([&] { file.finite(std::nan("")); }),
            "cannot read the sparse model a: a number is not finite");
}

TEST(FileNotes, NumbersAsHalves) {
  const std::vector<std::uint64_t> numbers{1, 0x123456789abcdef0, ~std::uint64_t{0}};
  const std::vector<std::uint32_t> halves = halves_of(numbers);
  EXPECT_EQ(halves[2], 0x9abcdef0U);
  EXPECT_EQ(halves[3], 0x12345678U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(number_of(&halves[2 * i]), numbers[i]);
}

}  // namespace
}  // namespace postrider::internal::hashed
