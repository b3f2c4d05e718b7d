// Many rows at once are the same rows one by one, to the bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "complaint.h"
#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kRows = 300;

struct Rows {
  std::vector<Gaussian> messages;
  std::vector<Event> events;
  std::vector<double> log_scales;

  explicit Rows(std::size_t rows)
      : messages(rows, Gaussian::from_moments(7, 7)),
        events(rows, Event::overflowed),
        log_scales(rows, 7) {}
  Replies all() { return {messages, events, log_scales}; }
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Random rows of all states, and rows of the ends of what the states allow.
std::vector<Gaussian> incoming_rows(std::size_t edges, std::size_t rows) {
  RandomStream random(kSeed, edges);
  const std::vector<Gaussian> corners = corner_messages();
  std::vector<Gaussian> out;
  for (std::size_t i = 0; i < rows * edges; ++i)
    out.push_back(random.uniform() < 0.3 ? corners[random.below(corners.size())]
                                         : any_state(random));
  return out;
}

void expect_same_as_singly(const Factor& factor, std::size_t edge, Rule rule) {
  const std::size_t edges = factor.info().edges.size();
  const std::vector<Gaussian> incoming = incoming_rows(edges, kRows);
  Rows many(kRows), bare(kRows);
  factor.send_many(edge, rule, incoming, many.all());
  factor.send_many(edge, rule, incoming, {bare.messages});
  for (std::size_t row = 0; row < kRows; ++row) {
    const Reply one = factor.send(edge, rule, std::span(incoming).subspan(row * edges, edges));
    const std::string where =
        factor.info().name + " edge " + std::to_string(edge) + ' ' + std::string(to_string(rule));
    for (const Gaussian& message : {many.messages[row], bare.messages[row]})
      EXPECT_TRUE(same_bits(message.tau(), one.message.tau()) &&
                  same_bits(message.rho(), one.message.rho()))
          << where << ": " << message << " and " << one.message;
    EXPECT_EQ(many.events[row], one.event) << where;
    if (one.log_scale)
      EXPECT_TRUE(same_bits(many.log_scales[row], *one.log_scale)) << where;
    else
      EXPECT_TRUE(std::isnan(many.log_scales[row])) << where;
  }
}

void expect_same_as_singly(const Factor& factor) {
  for (std::size_t edge = 0; edge < factor.info().edges.size(); ++edge)
    for (const RuleInfo& rule : factor.info().edges[edge].rules)
      expect_same_as_singly(factor, edge, rule.rule);
}

TEST(SendMany, LibraryFactorsSendTheSameBits) {
  for (const std::string& name : factor_names()) expect_same_as_singly(*make_factor(name));
  expect_same_as_singly(*make_factor("linear", {{"weights", {1, -2, 0, 3, 0.25}}}));
  expect_same_as_singly(*make_factor("linear", {{"weights", std::vector<double>(20, 0.5)}}));
  for (const double slope : {0.0, 0.5, 1.0})
    expect_same_as_singly(*make_factor("leaky_relu", {{"slope", {slope}}}));
  expect_same_as_singly(*make_factor("probit", {{"sign", {-1}}, {"scale", {0}}}));
}

// A user's factor that knows nothing of rows: it adds one to a mean, and has a scale for even means.
class Successor final : public Factor {
 public:
  const FactorInfo& info() const override { return info_; }
  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> in) const override {
    info_.find(edge, rule);
    EXPECT_EQ(in.size(), 2U);
    const double mean = in[1 - edge].mean();
    Reply reply{Gaussian::from_moments(mean + 1, 2), {}, Event::linearised};
    if (std::fmod(mean, 2) == 0) reply.log_scale = mean;
    return reply;
  }
  double evaluate(std::span<const double>) const override { return 0; }

 private:
  FactorInfo info_{"successor",
                   "y = x + 1",
                   FactorKind::density,
                   {{"y", {{Rule::direct, Claim::approximate, true}}, false},
                    {"x", {{Rule::direct, Claim::approximate, true}}, false}}};
};

TEST(SendMany, UsersFactorsAreAskedRowByRow) {
  const Successor factor;
  expect_same_as_singly(factor);
  const std::vector<Gaussian> incoming{Gaussian::uniform(), Gaussian::point_mass(4),
                                       Gaussian::uniform(), Gaussian::point_mass(5)};
  Rows rows(2);
  factor.send_many(0, Rule::direct, incoming, rows.all());
  EXPECT_EQ(rows.messages[0], Gaussian::from_moments(5, 2));
  EXPECT_EQ(rows.messages[1], Gaussian::from_moments(6, 2));
  EXPECT_EQ(rows.events[1], Event::linearised);
  EXPECT_EQ(rows.log_scales[0], 4);
  EXPECT_TRUE(std::isnan(rows.log_scales[1]));
}

TEST(SendMany, NoRowsAreFine) {
  make_factor("product")->send_many(0, Rule::direct, {}, {});
  Successor().send_many(0, Rule::direct, {}, {});
}

TEST(SendMany, MistakesAreNamed) {
  const auto product = make_factor("product");
  const Successor successor;
  Rows two(2), three(3);
  for (const Factor* factor : std::initializer_list<const Factor*>{product.get(), &successor}) {
    const auto complaint_of = [&](std::size_t edge, std::size_t messages, const Replies& replies) {
      const std::vector<Gaussian> incoming(messages);
      return complaint([&] { factor->send_many(edge, Rule::direct, incoming, replies); });
    };
    const std::size_t edges = factor->info().edges.size();
    EXPECT_NE(complaint_of(0, 2 * edges + 1, two.all()).find("one message per edge and row"),
              std::string::npos);
    EXPECT_NE(complaint_of(0, 2 * edges, {two.messages, three.events}).find("replies.events"),
              std::string::npos);
    EXPECT_NE(
        complaint_of(0, 2 * edges, {two.messages, {}, three.log_scales}).find("replies.log_scales"),
        std::string::npos);
    EXPECT_NE(complaint_of(edges, 2 * edges, two.all()).find("there are: "), std::string::npos);
  }
}

}  // namespace
}  // namespace postrider::graph
