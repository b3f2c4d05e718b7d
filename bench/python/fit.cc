// Trains on rows of doubles from a file, as a C++ program would, and prints seconds: of one fit, by the
// processor's clock and by the wall's, and of one row of a stream. For overhead.py.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "postrider/regressor.h"

namespace {

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> read(std::ifstream& file, std::size_t count) {
  std::vector<double> out(count);
  file.read(reinterpret_cast<char*>(out.data()),
            static_cast<std::streamsize>(count * sizeof(double)));
  return out;
}

}  // namespace

// fit FILE ROWS COLUMNS EPOCHS STREAMED
int main(int count, char** arguments) {
  if (count != 6) return EXIT_FAILURE;
  const std::size_t rows = std::stoul(arguments[2]), columns = std::stoul(arguments[3]);
  const std::size_t epochs = std::stoul(arguments[4]), streamed = std::stoul(arguments[5]);
  std::ifstream file(arguments[1], std::ios::binary);
  const std::vector<double> x = read(file, rows * columns), y = read(file, rows);
  if (!file) return EXIT_FAILURE;
  const postrider::EstimatorOptions options{
      .hidden = {50}, .ensemble_size = 1, .training = {.max_epochs = epochs, .patience = epochs}};

  postrider::Regressor regressor(options);
  const std::clock_t begin = std::clock();
  const double fit = seconds_of([&] { regressor.fit(x, y); });
  const double processor = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;

  postrider::Regressor stream(options);
  stream.partial_fit(x, y);
  std::vector<double> each;
  for (std::size_t row = 0; row < streamed; ++row)
    each.push_back(seconds_of([&] {
      stream.partial_fit(std::span(x).subspan(row % rows * columns, columns), {&y[row % rows], 1});
    }));
  std::ranges::nth_element(each, each.begin() + static_cast<std::ptrdiff_t>(streamed / 2));
  std::cout << processor << ' ' << fit << ' ' << each[streamed / 2] << '\n';
}
