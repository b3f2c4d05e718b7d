// libtorch as its users call it: modules, an optimizer, one thread.
#include <torch/torch.h>

#include <chrono>
#include <mutex>

#include "bench/epoch/contender.h"

namespace postrider::bench {
namespace {

// libtorch allows the second number to be set only once.
void use_one_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    at::set_num_threads(1);
    at::set_num_interop_threads(1);
  });
}

std::int64_t to_signed(std::size_t count) { return static_cast<std::int64_t>(count); }

torch::Tensor matrix(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  return torch::tensor(torch::ArrayRef<float>(values))
      .reshape({to_signed(rows), to_signed(columns)});
}

class TorchAdam : public Contender {
 public:
  TorchAdam(const Case& of, const TrainingSet& set)
      : batch_(to_signed(of.batch)),
        inputs_(matrix(set.inputs, of.rows, of.widths.front())),
        targets_(matrix(set.targets, of.rows, of.widths.back())) {
    const std::vector<std::vector<float>> weights = starting_weights(of);
    for (std::size_t l = 0; l < of.layers(); ++l) {
      torch::nn::Linear linear(
          torch::nn::LinearOptions(to_signed(of.widths[l]), to_signed(of.widths[l + 1]))
              .bias(of.bias));
      const torch::NoGradGuard constant;
      const torch::Tensor all = matrix(weights[l], of.widths[l + 1], of.fan_in(l));
      linear->weight.copy_(all.narrow(1, 0, to_signed(of.widths[l])));
      if (of.bias) linear->bias.copy_(all.select(1, to_signed(of.widths[l])));
      network_->push_back(linear);
      if (l + 1 < of.layers())
        network_->push_back(torch::nn::LeakyReLU(
            torch::nn::LeakyReLUOptions().negative_slope(static_cast<double>(of.slopes[l]))));
    }
    optimizer_ = std::make_unique<torch::optim::Adam>(
        network_->parameters(),
        torch::optim::AdamOptions(of.learning_rate).betas({kBeta1, kBeta2}).eps(kEpsilon));
  }

  void epoch() override {
    const std::int64_t rows = inputs_.size(0);
    for (std::int64_t first = 0; first < rows; first += batch_) {
      const std::int64_t count = std::min(batch_, rows - first);
      optimizer_->zero_grad();
      const torch::Tensor loss = torch::mse_loss(network_->forward(inputs_.narrow(0, first, count)),
                                                 targets_.narrow(0, first, count));
      loss.backward();
      optimizer_->step();
    }
  }

  double loss() override {
    const torch::NoGradGuard constant;
    return torch::mse_loss(network_->forward(inputs_), targets_).item<double>();
  }

 private:
  std::int64_t batch_;
  torch::Tensor inputs_, targets_;
  torch::nn::Sequential network_;
  std::unique_ptr<torch::optim::Adam> optimizer_;
};

}  // namespace

std::unique_ptr<Contender> make_torch_adam(const Case& of, const TrainingSet& set) {
  use_one_thread();
  return std::make_unique<TorchAdam>(of, set);
}

double torch_matrix_rate() {
  use_one_thread();
  constexpr std::int64_t kSize = 256;
  constexpr int kRepeats = 10;
  const torch::Tensor a = torch::ones({kSize, kSize}), b = torch::ones({kSize, kSize});
  torch::mm(a, b);
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    torch::mm(a, b);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2e-9 * kSize * kSize * kSize / time.count());
  }
  return best;
}

}  // namespace postrider::bench
