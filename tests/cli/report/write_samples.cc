// Writes the sample reports into the folder named.
#include <fstream>
#include <iostream>

#include "cli/report/report.h"
#include "cli/report/samples.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_samples folder\n";
    return 2;
  }
  const std::string folder = arguments[1];
  const auto write = [&](const char* name, const postrider::ReportContent& content) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << postrider::render_report(content);
    return file.good();
  };
  const bool good = write("regression.html", postrider::regression_sample()) &&
                    write("classification.html", postrider::classification_sample());
  return good ? 0 : 1;
}
