// SPDX-License-Identifier: Apache-2.0
// Functions of the controller that active messages call.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/protocols/active_messages/active_commands.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// What a function sees of the message that calls it, and what it may do. It cannot send, and
/// reaches this node's words only, so that it cannot break a rule of other protocols.
template <class Node>
class active_call {
 public:
  active_call(Node& node, const active_header& header, std::uint64_t words, std::uint64_t count)
      : node_(node), header_(header), words_(words), count_(count) {}

  node_id source() const { return header_.node; }
  std::uint32_t size() const { return header_.arguments; }
  /// 0 behind the last.
  word_t argument(std::uint32_t i) const { return i < size() ? arguments_[i] : 0; }
  void set_argument(std::uint32_t i, word_t value) { arguments_[i] = value; }

  /// The protocol processor is busy for so many cycles.
  void spend(std::uint64_t cycles) { node_.spend(cycles); }
  /// A word of this node; one that it does not have is 0, and stays so.
  word_t load(std::uint64_t i) { return i < count_ ? node_.load(words_ + i * word_bytes) : 0; }
  void store(std::uint64_t i, word_t value) {
    if (i < count_) node_.store(words_ + i * word_bytes, value);
  }

 private:
  Node& node_;
  active_header header_;
  std::uint64_t words_;
  std::uint64_t count_;
  word_t arguments_[most_line_bytes / word_bytes] = {};
};

/// A function that is trusted to end soon (FLASH 7.1.2: handlers that were verified before).
template <class Node>
struct active_function {
  void (*run)(active_call<Node>& call) = nullptr;
};

/// The functions that a controller has if it is given no others, by their numbers: the first
/// argument is the number of a word, the second an operand.
struct usual_functions {
  static constexpr std::uint32_t put = 0;
  static constexpr std::uint32_t add = 1;
  static constexpr std::size_t count = 2;

  template <class Node>
  static constexpr active_function<Node> of(std::uint32_t number) {
    return number == put ? active_function<Node>{&put_word<Node>}
                         : active_function<Node>{&add_word<Node>};
  }

 private:
  static constexpr std::uint64_t cycles = 4;  // assumed: two or three accesses and a sum

  template <class Node>
  static void put_word(active_call<Node>& call) {
    call.spend(cycles);
    call.store(call.argument(0), call.argument(1));
  }
  template <class Node>
  static void add_word(active_call<Node>& call) {
    call.spend(cycles);
    call.store(call.argument(0), call.load(call.argument(0)) + call.argument(1));
  }
};

}  // namespace tributary
