// Writes the sample reports into the folder named.
#include <fstream>
#include <iostream>

#include "report/page/page.h"
#include "report/samples.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_samples folder\n";
    return 2;
  }
  const std::string folder = arguments[1];
  const auto write = [&](const char* name, const postrider::internal::ReportContent& content) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << postrider::internal::render_report(content);
    return file.good();
  };
  const bool good = write("regression.html", postrider::internal::regression_sample()) &&
                    write("classification.html", postrider::internal::classification_sample());
  return good ? 0 : 1;
}
