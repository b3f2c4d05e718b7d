// Attacks on what files hold, and on how they are written.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/attack/isolated.h"

namespace postrider::attack {

// Model files: a regressor, one of two classes, one of three. Predicts and updates with what is accepted.
std::vector<Attack> attack_models(std::size_t tries);
// A checkpoint, from which training is resumed.
std::vector<Attack> attack_checkpoints(std::size_t tries);
// Two writers at once, writers that are killed, and disks that are full. Each of these tries asks
// whether the file is afterwards, to the byte, one that a writer meant to leave.
std::vector<Attack> attack_writers(std::size_t tries);

}  // namespace postrider::attack
