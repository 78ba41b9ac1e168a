// SPDX-License-Identifier: Apache-2.0
#include "block_times.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tributary {
namespace {

constexpr std::chrono::milliseconds between_looks(1);
/// Of what no block does: the loop, its checks and what writes files for it.
constexpr const char* no_block = "(between blocks)";

}  // namespace

block_times::block_times() : thread_([this] { look(); }) {}

block_times::~block_times() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

current_activity& block_times::add() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return simulations_.emplace_back().activity;
}

block_times::watched& block_times::find(const current_activity& activity) {
  return *std::find_if(simulations_.begin(), simulations_.end(),
                       [&](const watched& each) { return &each.activity == &activity; });
}

void block_times::begin(const current_activity& activity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  watched& begun = find(activity);
  begun.runs = true;
  begun.begun = clock::now();
}

// Names are the machine's, so none is looked at behind its end.
void block_times::end(const current_activity& activity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  watched& ended = find(activity);
  ended.runs = false;
  seconds_ += std::chrono::duration<double>(clock::now() - ended.begun).count();
}

void block_times::look() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, between_looks, [this] { return ends_; })) {
    for (const watched& each : simulations_) {
      if (!each.runs) continue;
      const char* const name = each.activity.name();
      ++looks_[name == nullptr ? no_block : name];
    }
  }
}

std::string block_times::text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::pair<std::uint64_t, std::string>> blocks;
  std::uint64_t looks = 0;
  for (const auto& [name, count] : looks_) {
    blocks.emplace_back(count, name);
    looks += count;
  }
  std::sort(blocks.rbegin(), blocks.rend());
  std::string text = fmt::format("Time by block, of {} looks in {:.2f} s:\n", looks, seconds_);
  for (const auto& [count, name] : blocks) {
    const double share = static_cast<double>(count) / static_cast<double>(looks);
    text += fmt::format("{:7.1f} % {:8.2f} s  {}\n", 100 * share, share * seconds_, name);
  }
  return text;
}

}  // namespace tributary
