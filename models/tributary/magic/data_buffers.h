// SPDX-License-Identifier: Apache-2.0
// The staging buffers through which every payload of a node passes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of the data buffers; the defaults are FLASH 2.3.4's.
struct data_buffers_config {
  std::uint32_t buffers = 16;
  /// Buffers that only arriving replies may take (rule D9).
  std::uint32_t reply_reserve = 1;
  /// More that only arriving messages may take, whatever their lane (rule D10).
  std::uint32_t arrival_reserve = 1;
  /// What a buffer holds. The memory's, so it is no parameter.
  line_size line;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range or reserves of all buffers.
  void validate() const;
};

/// For whom a buffer is wanted.
enum class buffer_claim : std::uint8_t {
  reply_arrival,  ///< the payload of a message that comes over the reply lane
  other_arrival,  ///< that of another message
  processor,      ///< the doubleword that the processor writes
  handler         ///< a handler asks for it, or a line is read ahead for one
};
/// How many there are.
inline constexpr std::size_t buffer_claims = 4;

/// Somebody who waits for a free buffer.
class buffer_listener {
 public:
  /// A buffer was freed in cycle `now`. Called from within `release`, or first in the cycle.
  virtual void buffer_freed(cycle_t now) = 0;

 protected:
  buffer_listener() = default;
  buffer_listener(const buffer_listener&) = default;
  buffer_listener& operator=(const buffer_listener&) = default;
  ~buffer_listener() = default;
};

/// Buffers of a line with a valid bit a doubleword (FLASH 2.3.4). The bits are kept as time stamps:
/// the first cycle in which the word can be taken out, known as soon as it is known who brings it.
/// So a payload streams from one interface to another without an event a word.
///
/// A buffer is allocated to one holder, may get more, and is free once all have released it and no
/// word is on its way to it. Its words are invalid then, and when it is allocated.
///
/// Use of a free buffer, of a word that nothing has filled, or a release too many ends the
/// simulation with a `simulation_error` that names buffer, node and cycle.
class data_buffers final : public block, private timed_block {
 public:
  /// `clockwork` must outlive the buffers. Throws as `validate` does.
  data_buffers(const data_buffers_config& config, agenda& clockwork, node_id node);
  data_buffers(const data_buffers&) = delete;
  data_buffers& operator=(const data_buffers&) = delete;

  const data_buffers_config& config() const { return config_; }
  std::uint32_t in_use() const { return in_use_; }

  /// Whether `allocate` would give a buffer.
  bool available(buffer_claim claim) const;
  /// The free buffer of the lowest number, with one holder, or nothing.
  std::optional<payload_handle> allocate(buffer_claim claim, cycle_t now);
  /// One more holder. Somebody who has not released it yet must hold it.
  void retain(payload_handle data);
  /// One holder fewer from cycle `at` on, which is the agenda's or later. The last one remains
  /// until the words that are being filled in have come, though no holder wants them any more.
  void release(payload_handle data, cycle_t at);
  /// One of the holders is now a unit that will call `release_handed_over` and nothing else, as a
  /// message that waits to be sent. So what is sent twice and held once is found at once.
  void hand_over(payload_handle data);
  /// As `release`.
  void release_handed_over(payload_handle data, cycle_t at);
  /// Holders in the current cycle; 0 if it is free.
  std::uint32_t holders(payload_handle data) const;

  /// Word `i` becomes `value`, and can be taken out from cycle `valid` on.
  void set_word(payload_handle data, std::size_t i, word_t value, cycle_t valid);
  /// A line that moves as `transfer` says, in sub-block order from doubleword `first` on.
  void fill(payload_handle data, const line_data& words, const memory_transfer& transfer,
            std::size_t first = 0);
  /// Doubleword i of the line goes to `a`[offset + i], or to `b` from its beginning if that is
  /// beyond `a`; it is lost if both are one buffer. The other words stay (FLASH 2.3.4, Figure 2.6).
  void fill_realigned(payload_handle a, payload_handle b, std::uint64_t offset,
                      const line_data& words, const memory_transfer& transfer);

  /// Whether a unit fills word `i`, or has filled it.
  bool filled(payload_handle data, std::size_t i) const;
  /// The first cycle in which word `i` can be taken out, `never` if it is not filled.
  cycle_t valid(payload_handle data, std::size_t i) const;
  /// Word `i`, which must be filled.
  word_t word(payload_handle data, std::size_t i) const;
  /// All words, and their stamps; only words with another stamp than `never` mean something.
  const line_data& words(payload_handle data) const;
  const line_stamps& stamps(payload_handle data) const;
  /// The first cycle in which all words can be taken out, or the first `words` of them; or `never`.
  cycle_t full(payload_handle data) const { return full(data, line_words()); }
  cycle_t full(payload_handle data, std::size_t words) const;
  /// The first cycle, not before `not_before`, from which on `words` words can be taken out without
  /// a pause, the i-th in start + i * numerator / denominator, rounded down; or `never`. They go in
  /// sub-block order from doubleword `first` on, which is 0 of less than a line.
  cycle_t earliest_start(payload_handle data, std::size_t words, std::uint64_t numerator,
                         std::uint64_t denominator, cycle_t not_before,
                         std::size_t first = 0) const;

  /// `who` must outlive the buffers. Of each free buffer another one is told first, in the order in
  /// which they were added, so that none takes them all.
  void add_listener(buffer_listener& listener);

  const char* name() const override { return "data_buffers"; }
  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct buffer {
    std::uint32_t holders = 0;
    std::uint32_t leaving = 0;    ///< holders who have handed it over or said when they release it
    std::uint32_t realigned = 0;  ///< by word: a double-buffer load brought it
    cycle_t taken = 0;
    cycle_t settled = 0;  ///< no word is on its way any more
    line_data words{};
    line_stamps valid{};

    TRIBUTARY_STATE(holders, leaving, realigned, taken, settled, words, valid);
  };

  std::size_t line_words() const { return config_.line.words(); }
  void wake(cycle_t now, std::uint64_t number) override;

  TRIBUTARY_STATE(buffers_, in_use_, next_listener_, allocations_, refused_, high_water_,
                  residency_, realigned_loads_, wasted_words_);

  /// The number of a buffer, which must be in use; `action` is what is done: "a word of it is set".
  std::size_t in_use(payload_handle data, const char* action) const {
    const auto number = static_cast<std::size_t>(data);
    if (number >= buffers_.size() || buffers_[number].holders == 0) refuse_use(data, action);
    return number;
  }
  [[noreturn]] void refuse_use(payload_handle data, const char* action) const;
  void check_word(payload_handle data, std::size_t i, const char* action) const {
    if (i >= line_words()) refuse_word(data, i, action);
  }
  [[noreturn]] void refuse_word(payload_handle data, std::size_t i, const char* action) const;
  [[noreturn]] void fail(payload_handle data, const std::string& problem) const;
  void place_word(buffer& into, std::size_t i, word_t value, cycle_t valid);
  void drop_holder_at(payload_handle data, cycle_t at);
  void drop_holder(std::size_t number, cycle_t now);
  void tell(const event_kind& kind, std::size_t number, cycle_t now) const;

  data_buffers_config config_;
  agenda& agenda_;
  node_id node_;
  std::vector<buffer> buffers_;
  std::uint32_t in_use_ = 0;
  std::vector<buffer_listener*> listeners_;
  std::size_t next_listener_ = 0;  // the one that is told first of the next free buffer
  trace_point trace_;

  std::array<counter, buffer_claims> allocations_;
  std::array<counter, buffer_claims> refused_;
  std::uint32_t high_water_ = 0;
  average residency_;
  counter realigned_loads_;
  counter wasted_words_;
};

}  // namespace tributary
