#include "text/warning_lines.h"

#include <gtest/gtest.h>

namespace postrider::cli {
namespace {

const TableWarning kLeak{TableWarning::Kind::leak, "bill", "bill is y.", {"bill"}};
const TableWarning kCopies{TableWarning::Kind::copies, "", "Rows are copies.", {}};

TEST(WarningLines, HaveWhatMendsThemBelow) {
  EXPECT_EQ(warnings_text({kLeak}),
            "what to worry about:\n  bill is y.\n    --ignore bill leaves it out.\n");
  EXPECT_EQ(warnings_text({}), "");
}

TEST(WarningLines, AreNotWithoutEnd) {
  const std::string text = warnings_text(std::vector<TableWarning>(25, kLeak));
  EXPECT_TRUE(text.ends_with("  and 5 more; --json lists all\n"));
}

TEST(WarningLines, LeaveOutWhatWasTold) {
  EXPECT_EQ(without({kLeak, kCopies}, {kCopies}), std::vector<TableWarning>{kLeak});
  EXPECT_EQ(without({kLeak, kCopies}, TableWarning::Kind::leak),
            std::vector<TableWarning>{kCopies});
}

}  // namespace
}  // namespace postrider::cli
