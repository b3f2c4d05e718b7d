// Pictures for a page: a frame with two axes and marks inside. Colours are classes of the style sheet,
// so that one picture serves light, dark and print.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::internal {

// About `count` round numbers inside the range.
std::vector<double> round_ticks(double low, double high, std::size_t count = 5);

enum class TickStyle { number, percent, power_of_ten, year, date };  // date: seconds since 1970

struct Axis {
  double low = 0, high = 1;
  std::string label = {};
  TickStyle ticks = TickStyle::number;  // power_of_ten: values are logarithms
};

struct Range {
  double low, high;
};
// Holds all finite values, with a margin, and is never empty.
Range range_of(std::span<const double> values, double margin = 0.04);

class Plot {
 public:
  Plot(Axis x, Axis y, double height = 260);

  // Marks outside of the axes are cut off. `about` is what a pointer that rests on the mark shows.
  void line(std::span<const double> x, std::span<const double> y, std::string_view style,
            std::string_view about = {});
  void band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
            std::string_view style);
  void segment(double x1, double y1, double x2, double y2, std::string_view style);
  void dot(double x, double y, double radius, std::string_view style, std::string_view about = {});
  void diamond(double x, double y, double radius, std::string_view style,
               std::string_view about = {});
  void bar(double x1, double x2, double y, std::string_view style, std::string_view about = {});

  // `description` is read aloud instead of the picture.
  std::string finish(std::string_view description) const;

 private:
  double to_x(double value) const;
  double to_y(double value) const;
  std::string axes() const;

  Axis x_, y_;
  double height_;
  std::string marks_;
};

// A tiny picture of counts, as wide as its place.
std::string sparkline(std::span<const double> counts, std::span<const std::string> names);

}  // namespace postrider::internal
