// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic: where requests go and what they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>

namespace tributary {

class parameter_set;

/// Where requests go that do not go to a hot word: from element p to which of N = 2^k modules.
enum class traffic_pattern : std::uint8_t {
  uniform,       ///< a module drawn uniformly from all
  shift,         ///< p to p + 1 modulo N
  transpose,     ///< p's bits rotated left by k / 2 rounded down: halves exchanged for even k
  bit_reversal,  ///< p's bits in reverse order
  tornado        ///< p to p + N / 2 - 1 modulo N
};

/// One kind of operation in a mix.
struct operation_share {
  operation op = operation::load;
  /// Probability relative to the other shares.
  std::uint32_t weight = 1;

  void bind(parameter_set& parameters);
};

/// Where the hot words after the first lie. The first is in `hot_module`.
enum class hot_placement : std::uint8_t {
  adjacent,  ///< in the modules that follow, one after the other
  stride,    ///< `hot_stride` modules apart
  random     ///< in modules that the seed draws, no module twice before each has one
};

/// Configuration of synthetic traffic.
struct traffic_config {
  traffic_pattern pattern = traffic_pattern::uniform;
  /// Fraction of requests that go to a hot word; 1 is busy-wait polling.
  double hot_spot = 0;
  /// Hot words; in a region that is whole to one module they follow one another there.
  std::uint32_t hot_words = 1;
  hot_placement placement = hot_placement::random;
  /// Modules from one hot word to the next with `hot_placement::stride`.
  std::uint32_t hot_stride = 1;
  /// Module of the first hot word.
  std::uint32_t hot_module = 0;
  /// Words per module over which the other requests are spread; many, so that one hardly ever
  /// repeats (cycle contract, rule 10).
  std::uint64_t rows = std::uint64_t{1} << 24;
  /// Region that traffic goes to. One that is whole to a module leaves `hot_module` and `pattern`
  /// without effect.
  std::string region = "shared";
  /// Operations drawn by weight; empty means loads.
  std::vector<operation_share> operations;
  /// Bits of the operands that are drawn; few make compare-and-swaps succeed.
  std::uint32_t operand_bits = 64;

  void bind(parameter_set& parameters);
};

/// Draws requests for every processing element, each from a stream of its own.
class traffic {
 public:
  /// For as many elements as `map` has modules; `map` must outlive it. Throws `configuration_error`
  /// for a region that does not exist or has too few words, and for a module that does not exist.
  traffic(const traffic_config& config, const address_map& map, std::uint64_t seed);

  /// The next request of an element, with tag 0.
  access draw(std::size_t pe);

  TRIBUTARY_STATE(streams_);

 private:
  void check() const;
  std::vector<std::uint64_t> place_hot_words(std::uint64_t seed) const;
  std::uint64_t hot_address(std::uint64_t place) const;
  std::uint64_t cold_address(std::size_t pe, random_stream& stream) const;
  word_function function_for(random_stream& stream) const;
  word_t operand(random_stream& stream) const;

  traffic_config config_;
  const address_map* map_;
  address_region region_;
  std::uint64_t hot_threshold_;
  std::uint64_t rows_;
  std::uint64_t total_weight_;
  std::vector<std::uint64_t> hot_addresses_;
  std::vector<std::uint32_t> permutation_;  // empty if uniform
  std::vector<random_stream> streams_;
};

}  // namespace tributary
