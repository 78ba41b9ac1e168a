// SPDX-License-Identifier: Apache-2.0
// Which message comes next, so that an interface may put it where it will be wanted: predictors of
// Afsahi and Dimopoulos, "Efficient communication using message prediction", CANPC 2000.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// How the next message is predicted.
enum class predictor_kind : std::uint8_t {
  none,             ///< it is not
  lru,              ///< one of the last different ones
  fifo,             ///< one of those that came first, until they are as many as the window
  lfu,              ///< one of those that come most often
  tag,              ///< the last with the same tag
  single_cycle,     ///< the next of a cycle
  tag_cycle,        ///< the same for each tag
  tag_better_cycle  ///< the same, and each tag keeps its cycles
};

/// Configuration of a predictor.
struct message_predictor_config {
  predictor_kind kind = predictor_kind::none;
  /// Identifiers of a window.
  std::uint32_t window = 5;
  /// Longest cycle. The publication has no limit, so that its automaton may fall silent for ever;
  /// this one and the next two are chosen (specification of CANPC 2000, 8.2).
  std::uint32_t log = 256;
  /// Tags that have an entry. Another one replaces the tag that was used least recently.
  std::uint32_t tags = 64;
  /// Cycles that a tag keeps. Another one replaces the oldest.
  std::uint32_t cycles = 8;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range.
  void validate() const;
};

/// A message as its predictor knows it: equal numbers are equal messages.
using message_identifier = std::uint64_t;
/// What a receiver asks by: the place in its program, or a number of its choice.
using message_tag = std::uint64_t;

/// What became of a prediction.
enum class prediction : std::uint8_t {
  hit,   ///< the message was among those that were predicted
  miss,  ///< it was not
  none   ///< nothing was predicted
};

/// How predictions came out.
struct prediction_counts {
  counter hits;
  /// Messages that were not predicted, those included for which there was no prediction.
  counter misses;
  counter unpredicted;

  void add(prediction result);
  prediction_counts& operator+=(const prediction_counts& other);
  /// Hits among all that came; 0 if nothing has.
  double hit_ratio() const;
  void report(statistics_group& into) const;

  TRIBUTARY_STATE(hits, misses, unpredicted);
};

/// An exact state machine. Windows and `single_cycle` do not look at tags.
///
/// A cycle is learned from the first message until the same comes again. It is then predicted
/// from its second message on, until another comes; that one begins a new log, unless the
/// predictor keeps a cycle that begins with it. A log that is full begins anew, too.
class message_predictor {
 public:
  /// Throws `configuration_error` as `validate`.
  explicit message_predictor(const message_predictor_config& config);

  const message_predictor_config& config() const { return config_; }

  /// The messages any of which may come next for that tag; none if there is no prediction.
  std::vector<message_identifier> predict(message_tag tag) const;
  /// That message has come.
  prediction observe(message_tag tag, message_identifier message);

  const prediction_counts& counts() const { return counts_; }
  void reset_statistics() { counts_ = {}; }

  /// All that changes in it, statistics included, as bytes, and back; throws as `block::restore`.
  std::string save() const;
  void restore(const std::string& state);

 private:
  using identifiers = std::vector<message_identifier>;

  /// One of a window. The next to leave it is the first.
  struct seen_message {
    message_identifier message = 0;
    std::uint64_t uses = 0;

    TRIBUTARY_STATE(message, uses);
  };
  /// What is known of a tag.
  struct tag_entry {
    message_tag tag = 0;
    bool predicts = false;          ///< `log` is a cycle
    identifiers log;                ///< of kind `tag`: the last message
    std::uint32_t next = 0;         ///< in the cycle
    std::vector<identifiers> kept;  ///< from the oldest on

    TRIBUTARY_STATE(tag, predicts, log, next, kept);
  };

  bool is_window() const;
  /// Of all that windows and cycles without tags know.
  message_tag known_as(message_tag tag) const;
  const tag_entry* find(message_tag tag) const;
  /// Its entry, as the one used last.
  tag_entry& entry(message_tag tag);

  prediction look_in_window(message_identifier message);
  std::size_t to_evict() const;
  prediction follow(tag_entry& known, message_identifier message) const;
  void learn(tag_entry& known, message_identifier message) const;
  void keep(tag_entry& known) const;
  void begin_anew(tag_entry& known, message_identifier message) const;
  void require_fitting_state() const;

  message_predictor_config config_;
  std::vector<seen_message> window_;
  std::vector<tag_entry> entries_;  ///< from the least recently used on
  prediction_counts counts_;
};

}  // namespace tributary
