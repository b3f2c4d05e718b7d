#include "distributed/thread_ranks.h"

#include <algorithm>
#include <cstring>

namespace postrider::distributed {

class ThreadRanks::Rank : public Communicator {
 public:
  Rank(ThreadRanks& all, std::size_t number) : all_(all), number_(number) {}

  std::size_t rank() const override {
    std::size_t out = 0;
    for (std::size_t r = 0; r < number_; ++r) out += members_[r] ? 1 : 0;
    return out;
  }
  std::size_t size() const override {
    return static_cast<std::size_t>(std::count(members_.begin(), members_.end(), true));
  }

  Communicator::Outcome sum(std::span<std::int64_t> numbers) override {
    std::vector<std::vector<std::byte>> given;
    const Communicator::Outcome outcome = gather(std::as_bytes(numbers), given);
    if (outcome != Communicator::Outcome::done) return outcome;
    std::fill(numbers.begin(), numbers.end(), 0);
    std::vector<std::int64_t> one(numbers.size());
    for (const auto& bytes : given) {
      std::memcpy(one.data(), bytes.data(), bytes.size());
      for (std::size_t k = 0; k < one.size(); ++k) numbers[k] += one[k];
    }
    return outcome;
  }

  Communicator::Outcome gather(std::span<const std::byte> own,
                               std::vector<std::vector<std::byte>>& all) override {
    std::unique_lock lock(all_.mutex_);
    if (all_.dies && all_.dies(number_, calls_++)) {
      all_.alive_[number_] = false;
      all_.is_broken_ = true;
      all_.met_.notify_all();
      throw Died();
    }
    all_.gifts_[number_].assign(own.begin(), own.end());
    if (!all_.meet(lock)) return Communicator::Outcome::peer_lost;
    all.clear();
    for (std::size_t r = 0; r < all_.gifts_.size(); ++r)
      if (members_[r]) all.push_back(all_.gifts_[r]);
    return all_.meet(lock) ? Communicator::Outcome::done : Communicator::Outcome::peer_lost;
  }

  bool recover() override {
    std::unique_lock lock(all_.mutex_);
    const std::size_t meeting = all_.meeting_;
    if (++all_.recovering_ == all_.living()) {
      all_.recovering_ = 0;
      ++all_.meeting_;
      all_.is_broken_ = false;
      all_.met_.notify_all();
    } else {
      all_.met_.wait(lock, [&] { return all_.meeting_ != meeting; });
    }
    members_ = all_.alive_;
    return true;
  }

  void begin() { members_ = all_.alive_; }

 private:
  ThreadRanks& all_;
  std::size_t number_, calls_ = 0;
  std::vector<bool> members_;
};

std::size_t ThreadRanks::living() const {
  return static_cast<std::size_t>(std::count(alive_.begin(), alive_.end(), true));
}

bool ThreadRanks::meet(std::unique_lock<std::mutex>& lock) {
  if (is_broken_) return false;
  const std::size_t meeting = meeting_;
  if (++waiting_ == living()) {
    waiting_ = 0;
    ++meeting_;
    met_.notify_all();
    return true;
  }
  met_.wait(lock, [&] { return meeting_ != meeting || is_broken_; });
  if (meeting_ != meeting) return true;
  --waiting_;
  return false;
}

void ThreadRanks::run(const std::function<void(Communicator&)>& body) {
  std::vector<std::unique_ptr<Rank>> ranks;
  for (std::size_t r = 0; r < alive_.size(); ++r) {
    ranks.push_back(std::make_unique<Rank>(*this, r));
    ranks.back()->begin();
  }
  std::vector<std::jthread> threads;
  for (auto& rank : ranks)
    threads.emplace_back([&body, rank = rank.get()] {
      try {
        body(*rank);
      } catch (const Died&) {
        // As a process would: nobody hears of it but by its silence.
      }
    });
}

}  // namespace postrider::distributed
