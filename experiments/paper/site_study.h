// Expectation propagation and direct message approximation over many seeds, with every message of
// negative precision counted.
#pragma once

#include "site_run.h"
#include "study.h"

namespace postrider::experiments {
using namespace internal;

struct SiteCell {
  SiteMethod method;
  std::vector<SiteRun> runs;  // by seed

  SiteCounts total() const;
};

// One problem under one reading of the prior means.
struct SiteStudy {
  Study study;
  bool same_means;
  std::size_t seeds, epochs;

  std::string name() const { return study.name + (same_means ? "_same" : "_fresh"); }
};

std::vector<SiteCell> run(const SiteStudy& study, const Settings& settings);

Object describe(const SiteStudy& study, const std::vector<SiteCell>& cells,
                const Settings& settings);

const SiteCell& find(const std::vector<SiteCell>& cells, const std::string& method);
// Over the seeds.
double median_of(const SiteCell& cell, double Outcome::*which);

// The part: all problems, and what must hold of them.
Part propagation(const Settings& settings);

}  // namespace postrider::experiments
