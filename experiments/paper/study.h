// One problem over many seeds, by every method and reading of the priors.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/program.h"
#include "common/spread.h"
#include "published.h"

namespace postrider::experiments {
using namespace internal;

// So many seeds the gradient methods get: enough for their medians, which cost more.
inline constexpr std::size_t kComparedSeeds = 200, kComparedLargeSeeds = 20;

struct Study {
  std::string name;
  NetworkTask task;
  std::vector<bool> readings;  // whether the prior means are those of the data network
  PublishedValues published;
  std::size_t few, many;  // seeds: the paper's number, and enough to pin down a median
  std::size_t curve_epochs;

  // How many of the many seeds other methods are compared on.
  std::size_t compared() const {
    return std::min(many, task.is_large ? kComparedLargeSeeds : kComparedSeeds);
  }
};

struct Cell {
  bool same_means;
  Method method;
  std::vector<Outcome> outcomes;            // by seed
  std::vector<std::vector<double>> curves;  // by seed, of the few; once per rule and reading
};

// "fresh_direct_paper" and so on.
std::string name_of(const Cell& cell);

// One stream per seed and size of network: all methods see the same data, and the seeds are those of
// the networks as factor graphs.
Problem draw(const Study& study, bool same_means, std::uint64_t seed, std::size_t index);

std::vector<Cell> run(const Study& study, const Settings& settings);

std::vector<double> values_of(const Cell& cell, double Outcome::*which, std::size_t seeds);
// Over all seeds.
double quantile_of(const Cell& cell, double Outcome::*which, double share);
double median_of(const Cell& cell, double Outcome::*which);

// The cells' numbers; claims that hold of every run.
Part describe(const Study& study, const std::vector<Cell>& cells, const Settings& settings);

const Cell& find(const std::vector<Cell>& cells, bool same_means, graph::Rule rule,
                 TrainerOptions::Stopping stopping);

}  // namespace postrider::experiments
