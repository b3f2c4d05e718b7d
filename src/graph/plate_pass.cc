#include "graph/plate_pass.h"

#include <algorithm>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Rows of a task: some tens of microseconds even of the cheapest factor.
constexpr std::size_t kRowsPerBlock = 2048;
constexpr std::size_t kBlocksOfThread = 8;

}  // namespace

PlatePass::PlatePass(GraphState& state, double damping, Workers& workers, graph::Record& record)
    : state_(state), damping_(damping), workers_(workers), record_(record) {}

double PlatePass::send(std::size_t plate, Index position, bool backwards) {
  const Plate& at = state_.plates()[plate];
  // A few blocks for each thread at once: none waits long for the others, and memory does not grow with the plate. A factor that stays
  // on one thread may ask for more rows in a call.
  const bool on_threads = at.factor->may_run_on_threads();
  const std::size_t at_once =
      on_threads && workers_.threads() > 1 ? kBlocksOfThread * workers_.threads() : 1;
  const std::size_t most = on_threads ? kRowsPerBlock : std::max(kRowsPerBlock, at.rows_per_call);
  const std::size_t blocks = (at.rows + most - 1) / most;
  blocks_.resize(std::max(blocks_.size(), std::min<std::size_t>(blocks, at_once)));
  double largest = 0;
  for (std::size_t first = 0; first < blocks; first += at_once) {
    const std::size_t count = std::min(at_once, blocks - first);
    const auto send_one = [&](std::size_t k) {
      Block& block = blocks_[k];
      block.edges.clear();
      const std::size_t begin = (first + k) * most;
      const std::size_t end = std::min<std::size_t>(begin + most, at.rows);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = backwards ? at.rows - 1 - i : i;
        const auto edge = static_cast<Index>(at.first_edge + row * at.arity + position);
        if (!state_.is_observed(state_.variable_of(edge))) block.edges.push_back(edge);
      }
      send_block(at, position, block);
    };
    if (count == 1)
      send_one(0);
    else
      workers_.run(count, send_one);
    for (std::size_t k = 0; k < count; ++k) {
      largest = std::max(largest, blocks_[k].largest);
      add(blocks_[k]);
    }
  }
  return largest;
}

void PlatePass::send_block(const Plate& plate, Index position, Block& block) const {
  block.record = {};
  block.largest = 0;
  const std::size_t most = std::max<std::size_t>(plate.rows_per_call, 1);
  for (std::size_t first = 0; first < block.edges.size(); first += most)
    send_some(plate, position, first, std::min(most, block.edges.size() - first), block);
}

void PlatePass::send_some(const Plate& plate, Index position, std::size_t first, std::size_t count,
                          Block& block) const {
  const Index arity = plate.arity;
  block.incoming.resize(count * arity);
  block.messages.resize(count);
  block.events.resize(count);
  Gaussian* incoming = block.incoming.data();
  for (std::size_t i = 0; i < count; ++i)
    for (Index k = 0; k < arity; ++k)
      *incoming++ = state_.to_factor(block.edges[first + i] - position + k);
  const std::span<const Gaussian> all(block.incoming);
  const auto store = [&](std::size_t i, const Gaussian& message, Event event) {
    const Gaussian& own = block.incoming[i * arity + position];
    block.largest = std::max(block.largest, state_.store(block.edges[first + i], own, message,
                                                         event, damping_, block.record));
  };
  try {
    plate.factor->send_many(position, plate.rules[position], all, {block.messages, block.events});
  } catch (const Error&) {
    // One of the rows has no message: those before it are sent all the same.
    for (std::size_t i = 0; i < count; ++i) {
      const Reply reply =
          plate.factor->send(position, plate.rules[position], all.subspan(i * arity, arity));
      store(i, reply.message, reply.event);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) store(i, block.messages[i], block.events[i]);
}

void PlatePass::add(const Block& block) {
  record_.messages += block.record.messages;
  for (std::size_t e = 0; e < record_.events.size(); ++e)
    record_.events[e] += block.record.events[e];
  record_.improper += block.record.improper;
  record_.skipped += block.record.skipped;
  record_.damped += block.record.damped;
  for (const std::string& edge : block.record.improper_edges)
    if (record_.improper_edges.size() < kNamedEdges) record_.improper_edges.push_back(edge);
}

}  // namespace postrider::internal
