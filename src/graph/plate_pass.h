// All messages of a plate to one edge, where rows are separate: no free variable stands in two of them. Then no message of the pass hears
// another, rows can go in any order, and blocks of rows go to threads with the same bits.
#pragma once

#include <cstddef>
#include <vector>

#include "base/workers.h"
#include "graph/state.h"

namespace postrider::internal {

class PlatePass {
 public:
  PlatePass(GraphState& state, double damping, Workers& workers, graph::Record& record);

  // To the free variables at this edge of the rows, from the first row or from the last one on. Returns the largest change.
  double send(std::size_t plate, Index position, bool backwards);

 private:
  // What a block of rows needs and leaves; blocks that run at once have each their own.
  struct Block {
    graph::Record record;
    double largest = 0;
    std::vector<Index> edges;
    std::vector<Gaussian> incoming, messages;
    std::vector<Event> events;
  };
  void send_block(const Plate& plate, Index position, Block& block) const;
  void send_some(const Plate& plate, Index position, std::size_t first, std::size_t count,
                 Block& block) const;
  void add(const Block& block);

  GraphState& state_;
  double damping_;
  Workers& workers_;
  graph::Record& record_;
  std::vector<Block> blocks_;
};

}  // namespace postrider::internal
