#include "report/page/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "postrider/table.h"
#include "report/page/text.h"

namespace postrider::internal {
namespace {

// In the units of the picture, which are pixels on a phone.
constexpr double kWidth = 360, kLeft = 60, kRight = 17, kTop = 10, kBottom = 38;

constexpr double kDay = 86400;

std::string titled(std::string_view about) {
  return about.empty() ? "" : fmt::format("<title>{}</title>", escaped(about));
}

std::string tick_text(double value, TickStyle style) {
  switch (style) {
    case TickStyle::percent:
      return fmt::format("{:.0f}%", std::abs(100 * value) < 0.5 ? 0 : 100 * value);
    case TickStyle::power_of_ten:
      return power_text(static_cast<int>(std::round(value)));
    case TickStyle::year:  // no separator of thousands
      return fmt::format("{:.6g}", value);
    case TickStyle::date:
      return date_text(kDay * std::floor(value / kDay));
    case TickStyle::number:
      break;
  }
  return number_text(std::abs(value) < 1e-12 ? 0 : value, 4);
}

std::vector<double> ticks_of(const Axis& axis) {
  if (axis.ticks == TickStyle::date)  // a date is wide, and no number of seconds is round
    return {axis.low + 0.12 * (axis.high - axis.low), axis.low + 0.5 * (axis.high - axis.low),
            axis.low + 0.88 * (axis.high - axis.low)};
  if (axis.ticks != TickStyle::power_of_ten) return round_ticks(axis.low, axis.high);
  const double step = std::max(1.0, std::ceil((axis.high - axis.low) / 6));
  std::vector<double> out;
  for (double t = std::ceil(axis.low); t <= axis.high; t += step) out.push_back(t);
  return out;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, std::size_t count) {
  if (!(high > low) || !std::isfinite(high - low)) return {low};
  const double rough = (high - low) / static_cast<double>(std::max<std::size_t>(count, 1));
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last; ++k) out.push_back(k * step);
  return out;
}

Range range_of(std::span<const double> values, double margin) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {0, 1};
  const double extra = high > low ? margin * (high - low) : std::max(1e-6, 0.1 * std::abs(low));
  return {low - extra, high + extra};
}

Plot::Plot(Axis x, Axis y, double height) : x_(std::move(x)), y_(std::move(y)), height_(height) {}

double Plot::to_x(double value) const {
  return (value - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight);
}

double Plot::to_y(double value) const {
  return (y_.high - value) / (y_.high - y_.low) * (height_ - kTop - kBottom);
}

void Plot::line(std::span<const double> x, std::span<const double> y, std::string_view style,
                std::string_view about) {
  std::string path;
  bool is_open = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_there = std::isfinite(x[i]) && std::isfinite(y[i]);
    if (is_there)
      path += fmt::format("{}{:.1f} {:.1f}", is_open ? 'L' : 'M', to_x(x[i]), to_y(y[i]));
    is_open = is_there;
  }
  marks_ += fmt::format("<path class=\"line {}\" d=\"{}\">{}</path>\n", style, path, titled(about));
}

void Plot::band(std::span<const double> x, std::span<const double> low,
                std::span<const double> high, std::string_view style) {
  std::string path;
  for (std::size_t i = 0; i < x.size(); ++i)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', to_x(x[i]), to_y(high[i]));
  for (std::size_t i = x.size(); i-- > 0;)
    path += fmt::format("L{:.1f} {:.1f}", to_x(x[i]), to_y(low[i]));
  marks_ += fmt::format("<path class=\"{}\" d=\"{}Z\"/>\n", style, path);
}

void Plot::segment(double x1, double y1, double x2, double y2, std::string_view style) {
  if (!std::isfinite(x1 + y1 + x2 + y2)) return;
  marks_ += fmt::format("<path class=\"line {}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", style,
                        to_x(x1), to_y(y1), to_x(x2), to_y(y2));
}

void Plot::dot(double x, double y, double radius, std::string_view style, std::string_view about) {
  if (!std::isfinite(x + y)) return;
  marks_ +=
      fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">{}</circle>\n",
                  style, to_x(x), to_y(y), radius, titled(about));
}

void Plot::diamond(double x, double y, double radius, std::string_view style,
                   std::string_view about) {
  if (!std::isfinite(x + y)) return;
  marks_ += fmt::format(
      "<path class=\"{0}\" d=\"M{1:.1f} {2:.1f}l{3:.1f} {3:.1f}l-{3:.1f} {3:.1f}l-{3:.1f} "
      "-{3:.1f}Z\">{4}</path>\n",
      style, to_x(x), to_y(y) - radius, radius, titled(about));
}

void Plot::bar(double x1, double x2, double y, std::string_view style, std::string_view about) {
  const double top = to_y(y), bottom = to_y(std::max(y_.low, 0.0));
  marks_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>\n",
      style, to_x(x1), top, std::max(0.5, to_x(x2) - to_x(x1)), std::max(0.0, bottom - top),
      titled(about));
}

std::string Plot::axes() const {
  std::string out;
  const double bottom = height_ - kBottom;
  for (const double tick : ticks_of(y_)) {
    const double at = kTop + to_y(tick);
    out += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>", kLeft, at, kWidth - kRight);
    out += fmt::format("<text class=\"tick end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft - 6,
                       at + 3.5, tick_text(tick, y_.ticks));
  }
  for (const double tick : ticks_of(x_)) {
    const double at = kLeft + to_x(tick);
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {}V{}\"/>", at, kTop, bottom);
    out += fmt::format("<text class=\"tick middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", at,
                       bottom + 14, tick_text(tick, x_.ticks));
  }
  out += fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, bottom,
                     kWidth - kRight);
  out += fmt::format("<text class=\"name middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, height_ - 5, escaped(x_.label));
  out += fmt::format(
      "<text class=\"name middle\" transform=\"translate(11 {}) rotate(-90)\">{}</text>\n",
      (kTop + bottom) / 2, escaped(y_.label));
  return out;
}

std::string Plot::finish(std::string_view description) const {
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}"
      "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"hidden\">\n{}</svg></svg>\n",
      kWidth, height_, escaped(description), axes(), kLeft, kTop, kWidth - kLeft - kRight,
      height_ - kTop - kBottom, marks_);
}

std::string sparkline(std::span<const double> counts, std::span<const std::string> names) {
  if (counts.empty()) return "";
  const double most = std::max(1e-300, *std::max_element(counts.begin(), counts.end()));
  const double width = 100 / static_cast<double>(counts.size());
  std::string out =
      "<svg class=\"spark\" viewBox=\"0 0 100 24\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double height = 23 * std::clamp(counts[i] / most, 0.0, 1.0);
    const std::string about =
        i < names.size() ? fmt::format("{}: {}", names[i], number_text(counts[i], 6)) : "";
    out += fmt::format(
        "<rect class=\"one\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
        "height=\"{:.2f}\">{}</rect>",
        width * static_cast<double>(i), 24 - height, std::max(0.3, width - 0.8), height,
        titled(about));
  }
  return out + "</svg>";
}

}  // namespace postrider::internal
