// SPDX-License-Identifier: Apache-2.0
// RTL of a parameter set of the user's own beside its model: two processors add to one word through
// one switch. Every cycle is compared, and the word must hold the sum.
#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/lockstep_switch.h>
#include <tributary/rtl/verilated_switch.h>

#include <switch_mine.h>

namespace {

using namespace tributary;

constexpr std::uint32_t additions = 500;  // of each processor

packet addition(unsigned processor, std::uint32_t number) {
  packet request;
  request.location = location_of(mm_id{0}, 0);
  request.set_function(function_of(operation::fetch_add, 1));
  request.pe = static_cast<std::uint16_t>(processor);
  request.sequence = number;
  return request;
}

class two_processors {
 public:
  void run() {
    while (answered_ < 2 * additions) step();
  }
  std::uint64_t word() const { return word_; }
  std::uint64_t combined() const { return combined_; }
  cycle_t cycles() const { return switch_.now(); }

 private:
  void step() {
    const switch_traffic leaving = switch_.depart({3, 3}, {true, true});
    switch_traffic arriving;
    for (unsigned i = 0; i < 2; ++i) {
      if (sent_[i] < additions && (switch_.request_ready(i) & 1) != 0) {
        arriving.requests[i] = addition(i, sent_[i]++);
      }
      answered_ += leaving.replies[i] ? 1 : 0;
    }
    if (!memory_.empty() && switch_.reply_ready(0)) {
      arriving.replies[0] = serve(memory_.front());
      memory_.pop_front();
    }
    if (leaving.requests[0]) memory_.push_back(*leaving.requests[0]);
    combined_ += switch_.commit(arriving).combined.size();
  }

  reply serve(const packet& request) {
    const word_t old = word_;
    word_ = apply(request.function(), word_);
    return {old, request.sequence, request.pe, 0};
  }

  lockstep_switch switch_{"mine",
                          std::make_unique<core_switch>(config_of(switch_mine::parameters), 0),
                          std::make_unique<verilated_switch<switch_mine>>(0)};
  std::deque<packet> memory_;
  std::array<std::uint32_t, 2> sent_{};
  std::uint32_t answered_ = 0;
  word_t word_ = 0;
  std::uint64_t combined_ = 0;
};

}  // namespace

int main() {
  try {
    two_processors both;
    both.run();
    std::cout << both.cycles() << " cycles equal, " << both.combined() << " requests combined\n";
    return both.word() == 2 * additions && both.combined() > 0 ? 0 : 1;
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
}
