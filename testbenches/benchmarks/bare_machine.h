// SPDX-License-Identifier: Apache-2.0
// The opponent of statistics and observers: the same cores, compiled without them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "plain_omega.h"

namespace bare {

/// A number that depends on every queue of a network and on what its interfaces wait for: two
/// machines that have it in common after a run did the same.
template <class Network, class Interfaces>
std::uint64_t digest_of(const Network& network, const Interfaces& interfaces) {
  std::uint64_t digest = 0;
  const auto add = [&](std::uint64_t value) {
    digest = (digest ^ value) * 0x100000001b3ULL;  // FNV-1a, word by word
  };
  for (std::size_t stage = 0; stage < network.stages(); ++stage) {
    const auto& queues = network.column(stage).queues();
    for (std::size_t queue = 0; queue < queues.count(); ++queue) {
      for (std::size_t i = 0; i < queues.size(queue); ++i) {
        add(queues.entry(queue, i).location);
        add(queues.entry(queue, i).a);
        add(queues.entry(queue, i).sequence);
      }
    }
  }
  add(interfaces.total_outstanding());
  add(interfaces.total_waiting());
  return digest;
}

/// The machine of `ultracomputer` in a plain loop of the library's cores, whose counters, averages
/// and histograms were compiled out (bare.cmake), and which nobody can observe. Random streams are
/// those of seed 1.
class machine {
 public:
  explicit machine(const plain::options& chosen);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  void step(std::uint64_t cycles);

  /// `digest_of` this machine.
  std::uint64_t digest() const;
  /// The sum of all that the cores report; 0, or something is not compiled out.
  double counted() const;

 private:
  struct blocks;
  std::unique_ptr<blocks> blocks_;
};

}  // namespace bare
