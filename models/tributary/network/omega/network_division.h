// SPDX-License-Identifier: Apache-2.0
// How threads share an omega network.
#pragma once

#include <array>
#include <cstddef>

#include <tributary/network/omega/switch_column.h>

namespace tributary {

/// An omega network of N lines divided into T parts, a power of two.
///
/// The first log2 T stages route a request by the upper bits of its module's number. Behind them
/// the network is T networks that share nothing, each with N / T modules next to each other. So a
/// division exchanges places in the columns behind: each part's switches stand side by side, in the
/// order in which they are the omega network of N / T lines. Only the links behind the first stages
/// lead from part to part then: what passes there between two threads is what costs. The last of
/// these, the `crossing` ones, lead to places that were exchanged.
///
/// Part t has the switches from t N / 2T on, of every stage.
class network_division {
 public:
  /// Parts that a network of so many stages has at most: 1 if it is small.
  static std::size_t most_parts(unsigned stages);
  /// `parts`: a power of two, at most `most_parts`.
  network_division(unsigned stages, std::size_t parts);

  /// A part's switches in any column.
  column_part part(std::size_t number) const {
    const std::size_t first = number * switches_;
    const std::size_t last = first + switches_;
    return {{2 * first, 2 * last}, {{{first, last}, {count_ + first, count_ + last}}}};
  }

  /// The stage behind the crossing links.
  unsigned first_inner() const { return first_inner_; }
  /// Whether switches of the stage stand in other places than without a division.
  bool moves(unsigned stage) const { return stage >= first_inner_ && stage + 1 < stages_; }
  /// Where the switch at `place` of the stage stands without the division.
  std::size_t undivided(unsigned stage, std::size_t place) const;

  /// Inner links, between a part's switches behind the crossing links: the ports that lead to a
  /// part's lines of an input, in their order.
  port_range inner_ports(std::size_t part, std::size_t input) const {
    const std::size_t first = (2 * part + input) * switches_;
    return {first, first + switches_};
  }

  /// Crossing links: the line behind a port, and the port before a line.
  std::size_t crossing_line(std::size_t port) const {
    const std::size_t place = port & (count_ - 1);
    return (port & count_) | (place & (parts_ - 1)) << switch_bits_ | place >> first_inner_;
  }
  std::size_t crossing_port(std::size_t line) const {
    const std::size_t place = line & (count_ - 1);
    return (line & count_) | (place & (switches_ - 1)) << first_inner_ | place >> switch_bits_;
  }

 private:
  unsigned stages_;
  std::size_t parts_;
  unsigned first_inner_;  // log2 of the parts
  std::size_t count_;     // switches of a column
  std::size_t switches_;  // of these in a part
  unsigned switch_bits_;  // log2 of these
};

}  // namespace tributary
