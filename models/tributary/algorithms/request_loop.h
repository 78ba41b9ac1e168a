// SPDX-License-Identifier: Apache-2.0
// Processors that compute, and ask another node for something, by turns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Configuration of the program (Falsafi and Wood, section 5).
struct request_loop_config {
  /// Of each node's processors together, so that the work is the same with any number of them.
  std::uint64_t requests = 6000;
  /// U = C / (C + L): the share of computing in a processor's time if nobody waits for others.
  double utilisation = 0.3;
  /// Cycles of computing from one access of the own segment to the next, where the machine has
  /// caches (not published; 10 is proposed).
  std::uint64_t touch_cycles = 10;
  /// How many of these are stores, per cent (not published).
  std::uint32_t touch_stores = 25;
  /// L, the shortest round trip of a request; 0: what the machine says it is.
  std::uint64_t round_trip = 0;
  /// C itself, cycles, in place of what follows from U and L; 0: that.
  std::uint64_t computing = 0;
  /// Of a request that is a block transfer.
  std::uint64_t bytes = 4096;
  /// Cycles between two looks at its flag.
  std::uint64_t poll = 100;

  /// C = L U / (1 - U), the mean time of computing between requests, in 65536ths of a cycle, if the
  /// machine's shortest round trip is `machine_round_trip`; or `computing`.
  std::uint64_t mean_computing(std::uint64_t machine_round_trip) const;

  void bind(parameter_set& parameters);
};

/// What a request is.
enum class request_way : std::uint8_t {
  load,      ///< of an address of another node, any of its blocks alike
  new_load,  ///< the same of a block that its node has not loaded before
  transfer   ///< a block transfer to another node (`fbcopy`)
};

/// Where a machine takes requests.
struct request_place {
  request_way way = request_way::load;
  address_layout addresses;
  std::uint8_t space = 1;           ///< whose loads are requests
  std::uint32_t block_bytes = 128;  ///< between addresses that are asked for
  std::uint64_t blocks = 1;         ///< of a node, that are asked for
  std::uint64_t round_trip = 600;   ///< the shortest, cycles of a program
  /// Where the machine has caches: bytes of each processor's segment, from the beginning of its
  /// node's memory on; else 0.
  std::uint64_t segment_bytes = 0;
  /// There as well: offset of what came with the answer of the node's first processor, so many
  /// bytes for each; and every how many of them the processor reads a word. Nothing if 0.
  std::uint64_t replies = 0;
  std::uint32_t reply_bytes = 0;
  std::uint32_t line_bytes = 32;
  /// Of block transfers: the machine's pages and lines. A node's memory begins with a page of
  /// flags; behind it are what each of its processors sends, and what each of all nodes' sends
  /// there.
  std::uint64_t page_bytes = 4096;
  line_size line = {};
  /// The register that is 1 while the processor has nothing to compute; nothing if there is none.
  std::optional<std::uint64_t> rest = {};

  /// Throws `configuration_error` if so many processors of each node cannot transfer so many bytes
  /// each, by memory of `user_bytes` a node.
  void check_transfers(std::uint64_t bytes, std::uint64_t nodes, std::uint64_t processes,
                       std::uint64_t user_bytes) const;
};

/// Computes for an exponentially distributed time and asks another node for something, by a
/// `request_way`, again and again. Samples `round_trip`, the cycles of each request; of a transfer,
/// from its first command until its flag is seen.
std::unique_ptr<program> make_request_loop(const request_loop_config& config,
                                           const request_place& place);

/// A random number of exponential distribution and mean 1, as a multiple of 2^-32, from `draw(n)`,
/// which gives numbers from 0 to n - 1. The same bits on every machine: it compares draws and takes
/// no logarithm. Source: von Neumann, "Various techniques used in connection with random digits",
/// 1951.
template <class Draw>
std::uint64_t draw_exponential(Draw&& draw) {
  constexpr std::uint64_t one = std::uint64_t{1} << 32;
  for (std::uint64_t whole = 0;; ++whole) {
    const std::uint64_t first = draw(one);
    std::uint64_t last = first;
    bool odd = true;  // the number of draws in the run of descending ones
    for (std::uint64_t next = draw(one); next < last; next = draw(one)) {
      last = next;
      odd = !odd;
    }
    if (odd) return whole * one + first;
  }
}

}  // namespace tributary
