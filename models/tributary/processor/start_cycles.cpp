// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/start_cycles.h>

#include <algorithm>

#include <tributary/sim/purpose.h>

namespace tributary {
namespace {

// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15;

std::uint64_t split_mix64(std::uint64_t& state) noexcept {
  state += golden_gamma;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31U);
}

}  // namespace

start_cycles::start_cycles(const processing_element_config& config, std::uint32_t element,
                           std::uint32_t slots, std::uint64_t seed) noexcept
    : draw_(config.starts),
      window_(std::max(config.start_window, 1U)),
      own_(seed, element, purpose::start),
      shared_((seed + std::uint64_t{element} * slots) * golden_gamma + 1) {}

cycle_t start_cycles::next() noexcept {
  if (draw_ == start_draw::one_sequence) return 1 + split_mix64(shared_) % window_;
  return 1 + own_.below(window_);
}

}  // namespace tributary
