// SPDX-License-Identifier: Apache-2.0
// Nodes that are the home of no line behave alike, and so do list elements: states that differ by
// their numbers are one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "explored_node.h"

namespace tributary::testing {

/// All ways to number the nodes of a machine anew; the first one changes nothing.
class explored_symmetry {
 public:
  explicit explored_symmetry(const explored_plan& plan) : plan_(plan) {
    numbering first{};
    std::vector<std::uint8_t> alike;
    for (std::uint8_t i = 0; i < most_explored_nodes; ++i) {
      first[i] = i;
      if (i < plan.setup().nodes && !plan.size().has_directory[i]) alike.push_back(i);
    }
    const std::vector<std::uint8_t> from = alike;
    do {
      numbering next = first;
      for (std::size_t i = 0; i < from.size(); ++i) next[from[i]] = alike[i];
      turns_.push_back(next);
    } while (std::next_permutation(alike.begin(), alike.end()));
  }

  std::size_t size() const { return turns_.size(); }
  /// The new number of a node.
  std::uint8_t number(std::size_t turn, std::size_t node) const { return turns_[turn][node]; }

  /// A state with the nodes' new numbers.
  explored_state turned(const explored_state& state, std::size_t turn) const {
    explored_state result = state;
    for (std::size_t i = 0; i < plan_.setup().nodes; ++i) {
      explored_node_state& node = result.nodes[number(turn, i)];
      node = state.nodes[i];
      if (plan_.size().has_directory[i]) turn_directory(node, turn);
      for (std::size_t j = 0; j < plan_.setup().nodes; ++j) {
        auto& lanes = result.channels[number(turn, i)][number(turn, j)];
        lanes = state.channels[i][j];
        for (explored_channel& each : lanes) turn_messages(each, turn);
      }
    }
    return result;
  }

  /// Gives list elements numbers in the order in which the lists have them.
  void number_elements(explored_state& state) const {
    for (std::size_t i = 0; i < plan_.setup().nodes; ++i) {
      if (plan_.size().has_directory[i]) number_elements(state.nodes[i]);
    }
  }

 private:
  using numbering = std::array<std::uint8_t, most_explored_nodes>;

  word_t& word(explored_node_state& node, std::uint64_t address) const {
    return node.words[plan_.word_at(address)];
  }

  /// Leaves alone what is no list, for the invariants to find.
  void number_elements(explored_node_state& node) const {
    using coherence::directory_entry;
    const coherence::directory_layout& at = plan_.settings.layout;
    if (at.elements < 2) return;
    explored_node_state numbered = node;
    std::vector<word_t> contents;
    bool are_lists = true;
    // Moves a list to the next numbers and returns the first of them.
    const auto moved = [&](word_t list) {
      const word_t first = list == 0 ? 0 : contents.size() + 1;
      while (list != 0 && are_lists) {
        are_lists = list <= at.elements && contents.size() < at.elements;
        if (!are_lists) break;
        contents.push_back(word(node, at.element(list)));
        list = coherence::list_element::next.in(contents.back());
        const word_t next = list == 0 ? 0 : contents.size() + 1;
        contents.back() = coherence::list_element::next.put(contents.back(), next);
      }
      return first;
    };
    for (std::size_t line = 0; line < plan_.size().lines; ++line) {
      word_t& each = word(numbered, at.entry(plan_.offset(line)));
      directory_entry entry(each);
      entry.set_list(moved(entry.list()));
      each = entry.word();
    }
    word_t& free = word(numbered, at.base + at.free_element);
    free = moved(free);
    for (word_t i = 0; i < contents.size(); ++i) word(numbered, at.element(i + 1)) = contents[i];
    if (are_lists) node = numbered;
  }

  node_id turned(node_id node, std::size_t turn) const {
    return index(node) < most_explored_nodes ? node_id{number(turn, index(node))} : node;
  }
  std::uint16_t turned_bits(std::uint16_t bits, std::size_t turn) const {
    coherence::requester by = coherence::requester::of(bits);
    by.node = turned(by.node, turn);
    return by.bits();
  }

  void turn_messages(explored_channel& channel, std::size_t turn) const {
    for (std::size_t i = 0; i < channel.size(); ++i) {
      channel[i].aux = static_cast<std::uint8_t>(turned_bits(channel[i].aux, turn));
    }
  }

  void turn_directory(explored_node_state& node, std::size_t turn) const {
    const coherence::directory_layout& at = plan_.settings.layout;
    for (std::size_t line = 0; line < plan_.size().lines; ++line) {
      word_t& word = node.words[plan_.word_at(at.entry(plan_.offset(line)))];
      coherence::directory_entry entry(word);
      if (entry.has_remote()) entry.set_remote(turned(entry.remote(), turn));
      word = entry.word();
    }
    for (word_t i = 1; i <= at.elements; ++i) {
      using coherence::list_element;
      word_t& word = node.words[plan_.word_at(at.element(i))];
      const node_id named{static_cast<std::uint32_t>(list_element::node.in(word))};
      word = list_element::node.put(word, index(turned(named, turn)));
    }
    for (word_t i = 1; i <= at.records; ++i) {
      word_t& word = node.words[plan_.word_at(at.record(i) + at.record_request)];
      const word_t upper = word >> 16 << 16;
      word = upper | turned_bits(static_cast<std::uint16_t>(word), turn);
    }
    for (std::size_t i = 0; i < node.deferred.size(); ++i) {
      // The others' `aux` is the number of a record.
      explored_deferred& each = node.deferred[i];
      const auto run = static_cast<handler_id>(each.run);
      if (run != plan_.settings.deferred.go_on_invalidating) continue;
      each.aux = static_cast<std::uint8_t>(turned_bits(each.aux, turn));
    }
  }

  const explored_plan& plan_;
  std::vector<numbering> turns_;
};

}  // namespace tributary::testing
