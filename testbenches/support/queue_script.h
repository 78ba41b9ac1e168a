// SPDX-License-Identifier: Apache-2.0
// One combining queue, driven cycle by cycle by a line of text.
#pragma once

#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/omega/combining_queue.h>
#include <tributary/sim/error.h>

namespace tributary::testing {

/// The function of a request by its sign. Request a adds 1, b 2, c 4 and so on.
inline word_function scripted_function(char sign, char name) {
  switch (sign) {
    case '+':
      return {form::add, word_t{1} << (name - 'a'), 0};
    case '0':
      return {form::identity, 0, 0};
    case ':':
      return {form::constant, 4, 0};
    case '&':
      return {form::logic, 0, 0};
    case '|':
      return {form::logic, 1, 0};
    case '=':
      return {form::merge, 1, 0xff};
    case '?':
      return {form::compare_and_swap, 1, 2};
    case '^':
      return {form::clamp_signed, 0, 5};
    default:
      throw error(std::string("no function has the sign ") + sign);
  }
}

/// Request `name` to `word`; "aX" adds, "aX?" does what the sign says, and with "-" behind it may
/// not combine.
inline packet scripted_request(const std::string& text) {
  packet request;
  request.location = location_of(mm_id{0}, static_cast<std::uint64_t>(text.at(1)) * word_bytes);
  request.sequence = static_cast<std::uint32_t>(text[0]);
  const bool alone = text.back() == '-';
  const std::string sign = text.substr(2, text.size() - 2 - (alone ? 1 : 0));
  request.set_function(scripted_function(sign.empty() ? '+' : sign[0], text[0]));
  request.combinable = alone ? 0 : 1;
  return request;
}

/// A queue and its partners. A script has a word for each cycle: "!" lets the head leave, "#" says
/// that the wait buffer is full, and behind them stand the arrivals of both inputs, "aX,bY", of the
/// first, "aX", of the second, "_,bY", or of none, ".".
class scripted_queue {
 public:
  explicit scripted_queue(const combining_queue_config& config)
      : queue(config), systolic_(config.microarchitecture == queue_microarchitecture::systolic) {}

  void run(const std::string& script) {
    std::istringstream words(script);
    for (std::string word; words >> word;) cycle(word);
  }

  /// The entries, the oldest first, as "a b+c": b with its partner c. In a systolic queue the OUT
  /// column, then "|" and the IN column with its rows, as "a |b@0".
  std::string state() const {
    std::string text;
    for (std::size_t i = 0; i < queue.size(0); ++i) {
      const std::size_t out = systolic_ ? queue.columns().out(0) : queue.size(0);
      if (i == out) text += "|";
      text += name_of(queue.entry(0, i), queue.partner_of(0, i));
      if (i >= out) text += "@" + std::to_string(queue.columns().row(0, i - out));
      text += " ";
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  combining_queue queue;
  partner_pool pool;
  std::vector<combining_queue::released> left;  ///< in the order of leaving
  std::string pairs;                            ///< as they met, "b+c "

 private:
  void cycle(std::string word) {
    combining_queue::arrival_context now;
    for (; word[0] == '!' || word[0] == '#'; word.erase(0, 1)) {
      if (word[0] == '#') {
        now.wait_buffer_full = true;
      } else {
        left.push_back(queue.release(0));
        now.head = combining_queue::head_place::left;
      }
    }
    std::istringstream arrivals(word);
    for (std::string each; std::getline(arrivals, each, ','); ++now.input) {
      if (each.size() < 2) continue;
      const packet second = scripted_request(each);
      const packet* first = queue.accept(0, second, now, pool);
      if (first == nullptr) ++now.inserted;
      if (first != nullptr) note_pair(*first, second);
    }
    if (!systolic_) return;
    const bool head_left = now.head == combining_queue::head_place::left;
    queue.settle(0, head_left, now.wait_buffer_full, pool,
                 [this](const packet& second, const packet& first) { note_pair(first, second); });
  }

  void note_pair(const packet& first, const packet& second) {
    pairs += {static_cast<char>(first.sequence), '+', static_cast<char>(second.sequence), ' '};
  }
  std::string name_of(const packet& entry, partner_index with) const {
    std::string text(1, static_cast<char>(entry.sequence));
    if (with != no_partner) {
      text += std::string("+") + static_cast<char>(pool[with].second.sequence);
    }
    return text;
  }

  bool systolic_;
};

/// What a queue is in after a script.
struct queue_case {
  const char* why;
  combining_queue_config config;
  std::string script;
  std::string state;
  bool ready;
};

inline std::ostream& operator<<(std::ostream& out, const queue_case& each) {
  return out << each.why << ": " << each.script;
}

}  // namespace tributary::testing
