// Attempts in processes of their own, so that one that aborts is counted and the next ones are made.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace postrider::attack {

// What came of one attempt.
//
//   refused              an exception of the library's family, with a message
//   same                 the result is that of the file before, to the bit
//   other_model          the file was changed AND its checksums made to fit: it is another valid file, and
//                        its result, another one, is finite. Only for attacks on what comes after checksums
//   silently_different   another result, without an error
//   not_finite           a result that is not a number, without an error
//   aborted              the process ended by a signal, or did not end within the time limit
enum class Outcome : unsigned char {
  refused,
  same,
  other_model,
  silently_different,
  not_finite,
  aborted
};

struct Attack {
  std::string name, what;
  std::vector<Outcome> outcomes = {};
  std::string skipped = {};  // why, if parts of it could not be made here

  std::size_t count(Outcome outcome) const;
};

// attempt(0) to attempt(tries - 1), each with a time limit.
std::vector<Outcome> isolated(std::size_t tries,
                              const std::function<Outcome(std::size_t)>& attempt);

}  // namespace postrider::attack
