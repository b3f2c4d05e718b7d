#include "report/page/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace postrider::internal {
namespace {

TEST(ReportText, NothingBreaksOutOfThePage) {
  EXPECT_EQ(escaped("a<b>&\"c\" 'd'"), "a&lt;b&gt;&amp;&quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escaped("</title><script>"), "&lt;/title&gt;&lt;script&gt;");
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
  EXPECT_EQ(escaped("one\ntwo\tthree"), "one two three");
  EXPECT_EQ(escaped(std::string_view("\0x", 2)), "\xEF\xBF\xBDx");
}

TEST(ReportText, SentencesBeginAndEndAsSuch) {
  EXPECT_EQ(sentence("all rows were learned"), "All rows were learned.");
  EXPECT_EQ(sentence("3 of them"), "3 of them.");
  EXPECT_EQ(sentence(""), "");
}

TEST(ReportText, KeepsUtf8AndReplacesWhatIsNone) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("größe µ 漢 😀"), "größe µ 漢 😀");
  EXPECT_EQ(escaped("\xFF"
                    "a"),
            replaced + "a");
  EXPECT_EQ(escaped("\xC3"), replaced);                 // cut off
  EXPECT_EQ(escaped("\xC0\xBC"), replaced + replaced);  // an overlong "<"
  EXPECT_EQ(escaped("\xE0\x80\xBC"), replaced + replaced + replaced);
  EXPECT_EQ(escaped("\xED\xA0\x80"), replaced + replaced + replaced);  // a surrogate
  EXPECT_EQ(escaped("\xC3<"), replaced + "&lt;");  // does not swallow what follows
}

TEST(ReportText, Numbers) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-0.5), "−0.5");
  EXPECT_EQ(number_text(3.14159), "3.14");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(number_text(0.00001234), "1.2×10⁻⁵");
  EXPECT_EQ(number_text(-2.5e7), "−2.5×10⁷");
  EXPECT_EQ(number_text(std::nan("")), "–");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "−∞");
  EXPECT_EQ(measured_text(-2), "−2.00");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(999), "999");
}

TEST(ReportText, ErrorsPowersAndShares) {
  EXPECT_EQ(with_error_text(8.4321, 0.1149), "8.43 ± 0.11");
  EXPECT_EQ(with_error_text(-0.00561, 0.0021), "−0.0056 ± 0.0021");
  EXPECT_EQ(with_error_text(1234.5, 250), "1,234 ± 250");
  EXPECT_EQ(with_error_text(2, 0), "2");
  EXPECT_EQ(power_text(-2), "0.01");
  EXPECT_EQ(power_text(-11), "10⁻¹¹");
  EXPECT_EQ(percent_text(0.931), "93 %");
  EXPECT_EQ(percent_text(0.9951), "99.5 %");
  EXPECT_EQ(percent_text(1), "100 %");
}

}  // namespace
}  // namespace postrider::internal
