// The certificate: how far the messages are from the exact ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/page.h"
#include "report/page/svg.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

constexpr double kLeastShown = 1e-12;  // below this a KL is rounding

bool is_compared(const network::NetworkCertificate::Messages& kind) { return kind.compared > 0; }

std::string kind_text(const network::NetworkCertificate::Messages& kind) {
  return fmt::format("layer {}: {} → {}", kind.layer, kind.factor, kind.to);
}

double logarithm(double value) { return std::log10(std::max(value, kLeastShown)); }

std::string spread_text(const network::NetworkCertificate::Spread& spread) {
  if (spread.count == 0) return "–";
  return fmt::format("{} <span class=\"wide\">· {}</span>", number_text(spread.median, 2),
                     number_text(spread.largest, 2));
}

std::string guard_text(const network::NetworkCertificate::Messages& kind) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view name) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count_text(count), name);
  };
  for (std::size_t i = 1; i < graph::kEventCount; ++i)
    add(kind.events[i], to_string(static_cast<graph::Event>(i)));
  add(kind.silent, "silent");
  add(kind.improper, "improper");
  return out.empty() ? "–" : out;
}

std::string holds_text(const network::NetworkCertificate::Messages& kind) {
  if (kind.violations > 0)
    return fmt::format("<b class=\"bad\">broken {}×</b>", count_text(kind.violations));
  if (kind.bound.count == 0) return "does not apply";
  const std::string share =
      kind.bound.count < kind.compared
          ? fmt::format(" at {} of {}", count_text(kind.bound.count), count_text(kind.compared))
          : "";
  return fmt::format("<b class=\"good\">holds</b>{}", share);
}

std::string table_row(const network::NetworkCertificate::Messages& kind) {
  return fmt::format(
      "<tr><td>{}</td><td class=\"name\">{} → {}</td><td class=\"number wide\">{}</td><td "
      "class=\"number wide\">{}</td><td class=\"number wide\">{}</td><td "
      "class=\"number\">{}</td><td "
      "class=\"number\">{}</td><td>{}</td><td class=\"wide\">{}</td></tr>\n",
      kind.layer, escaped(kind.factor), escaped(kind.to), count_text(kind.sent),
      count_text(kind.compared), spread_text(kind.message_kl), spread_text(kind.bound),
      spread_text(kind.marginal_kl), holds_text(kind), guard_text(kind));
}

std::string table(const network::NetworkCertificate& certificate) {
  std::string rows;
  std::size_t exact = 0;
  for (const network::NetworkCertificate::Messages& kind : certificate.messages) {
    exact += kind.exact;
    if (is_compared(kind)) rows += table_row(kind);
  }
  return fmt::format(
      "<div class=\"card scroll\"><table><caption>KL divergences in nats: median<span "
      "class=\"wide\"> · "
      "largest</span></caption><thead><tr><th>layer</th><th>message</th><th class=\"number "
      "wide\">sent</th><th class=\"number wide\">compared</th><th class=\"number wide\">message "
      "error</th><th class=\"number\">bound</th><th class=\"number\">belief "
      "error</th><th>theorem</th><th "
      "class=\"wide\">guards</th></tr></thead><tbody>\n{}</tbody></table><p class=\"note\">Another "
      "{} "
      "messages are exact by their form: all sums, and products one of whose factors is "
      "known.</p></div>\n",
      rows, count_text(exact));
}

// One line per kind: from the median to the largest, of what is and of what the theorem allows.
std::string ladder(const network::NetworkCertificate& certificate) {
  constexpr double kLine = 34, kTop = 8, kWidth = 360, kLeft = 8, kRight = 8;
  std::vector<const network::NetworkCertificate::Messages*> kinds;
  std::vector<double> all{-6, 0};
  for (const network::NetworkCertificate::Messages& kind : certificate.messages)
    if (is_compared(kind)) {
      kinds.push_back(&kind);
      for (const double value : {kind.marginal_kl.median, kind.bound.largest})
        if (value > 0 && std::isfinite(value)) all.push_back(logarithm(value));
    }
  if (kinds.empty()) return "";
  const double low = std::floor(*std::min_element(all.begin(), all.end()));
  const double high = std::ceil(*std::max_element(all.begin(), all.end()));
  const auto at = [&](double value) {
    return kLeft + (std::clamp(logarithm(value), low, high) - low) / (high - low) *
                       (kWidth - kLeft - kRight);
  };
  const double bottom = kTop + kLine * static_cast<double>(kinds.size());
  std::string out = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" "
      "aria-label=\"KL of beliefs and its bound for each kind of message\">\n",
      kWidth, bottom + 36);
  const double step = std::max(1.0, std::ceil((high - low) / 6));
  for (double tick = low; tick <= high; tick += step) {
    const double x = at(std::pow(10, tick));
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2:.1f}\"/><text class=\"tick middle\" "
        "x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
        std::clamp(x, 12.0, kWidth - 14), kTop, bottom, bottom + 13,
        power_text(static_cast<int>(tick)));
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const network::NetworkCertificate::Messages& kind = *kinds[i];
    const double y = kTop + kLine * static_cast<double>(i);
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft, y + 11,
                       escaped(kind_text(kind)));
    const auto span = [&](const network::NetworkCertificate::Spread& spread, double height,
                          std::string_view line, std::string_view dot, std::string_view name) {
      if (spread.count == 0) return;
      out += fmt::format(
          "<path class=\"line {}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><circle class=\"{}\" cx=\"{:.1f}\" "
          "cy=\"{:.1f}\" r=\"3.6\"><title>{}: median {}, largest {}</title></circle>\n",
          line, at(spread.median), height, at(spread.largest), dot, at(spread.median), height, name,
          number_text(spread.median, 2), number_text(spread.largest, 2));
    };
    span(kind.bound, y + 18, "two", "hollow", "bound");
    span(kind.marginal_kl, y + 26, "one", "one", "belief error");
  }
  out += fmt::format("<text class=\"name middle\" x=\"{}\" y=\"{:.1f}\">KL, nats</text></svg>\n",
                     kWidth / 2, bottom + 30);
  return out + legend(legend_entry(LegendMark::dot, "one", "belief error: median to largest") +
                      legend_entry(LegendMark::hollow, "", "what the theorem allows"));
}

std::string finding(const network::NetworkCertificate& certificate) {
  const std::string compared = count_text(certificate.compared());
  return certificate.passed()
             ? fmt::format("<b>No inconsistency found in {} messages</b>", compared)
             : fmt::format("<b class=\"bad\">{} of {} messages are inconsistent</b>",
                           count_text(certificate.inconsistent()), compared);
}

// What was found, and beside it how good the predictions are: right messages can make a bad model.
std::string verdict(const network::NetworkCertificate& certificate, const std::string& coverage) {
  std::size_t bounds = 0, violations = 0;
  for (const network::NetworkCertificate::Messages& kind : certificate.messages) {
    bounds += kind.bound.count;
    violations += kind.violations;
  }
  const network::NetworkCertificate::Guards& guards = certificate.guards;
  std::string out = fmt::format(
      "<p>{}: because of one message, a belief is at most {} nats from the exact one. More than {} "
      "counts as an inconsistency.</p>\n<p>This checks the arithmetic of learning, not the "
      "predictions{}</p>\n",
      finding(certificate), number_text(certificate.largest_belief_kl(), 2),
      number_text(certificate.kl_limit, 2),
      coverage.empty() ? "." : fmt::format(": <b>{}</b>.", escaped(coverage)));
  out += fmt::format(
      "<p>The theorem's bound applies to {} of the messages and {}.</p>\n<p>Over {} rows the "
      "guards "
      "of the training engine replaced {} of {} activation messages by linearised ones; {} said "
      "nothing.</p>\n",
      count_text(bounds),
      violations == 0 ? "holds at all of them"
                      : fmt::format("<b class=\"bad\">is broken at {}</b>", count_text(violations)),
      count_text(guards.rows), count_text(guards.linearised), count_text(guards.activations),
      count_text(guards.silent));
  return out;
}

std::string glossary() {
  return "<dl class=\"terms\">"
         "<dt>belief error</dt><dd>How far a belief is from what the exact message would have made "
         "of "
         "it: a KL divergence. 0.01 nats are hardly visible, 1 is a different belief.</dd>"
         "<dt>message error</dt><dd>The same between the two messages, before anything else is "
         "known.</dd>"
         "<dt>bound</dt><dd>What the master theorem allows the belief error to be, given the "
         "message "
         "error. It is often far too careful.</dd>"
         "<dt>product → weight</dt><dd>What one row teaches one weight. Forward messages to terms "
         "and "
         "outputs enter sums of many, where the errors of single ones average out.</dd></dl>\n";
}

}  // namespace

std::string certificate_part(const ReportContent& content) {
  if (!content.certificate) return "";
  const network::NetworkCertificate& certificate = *content.certificate;
  return fmt::format(
      "<p class=\"lead\">Training sends messages that approximate exact ones. For {} row{} the "
      "exact "
      "messages were computed as well, by numerical integration: this is how far a belief is off "
      "because of a single message, and what the theory allows at most.</p>\n<div "
      "class=\"grid\">\n{}{}</div>\n<div style=\"height:14px\"></div>\n{}",
      count_text(certificate.rows), certificate.rows == 1 ? "" : "s",
      card("Result", "", verdict(certificate, coverage_text(content)) + glossary()),
      card("Error of beliefs, and the bound", "On a logarithmic scale: further left is better.",
           ladder(certificate)),
      table(certificate));
}

}  // namespace postrider::internal
