// SPDX-License-Identifier: Apache-2.0
// Counts what processors and interfaces tell of communication.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/trace/communication_events.h>

namespace tributary {

class parameter_set;
class statistics_group;

/// Bytes of a header by what it must say. Defaults are the sets that fit Klaiber 5.5: a message has
/// a destination, a type and a size, 4 bytes, and 8 for each address; on a ring, an address and a
/// type.
struct header_bytes_config {
  std::uint32_t read = 20;
  std::uint32_t write = 12;
  /// Hops of reductions and barriers, which name no address.
  std::uint32_t tree = 4;
  std::uint32_t acknowledgement = 4;
  /// Of what caches say to each other.
  std::uint32_t line = 10;
  /// In addition, of what caches with homes say: a message to one node names it, one to everyone on
  /// a ring does not (16 bits: 5.1).
  std::uint32_t node = 2;
  // In addition, of what gets and sends where requests are merged: how many items (16 bits), and
  // how many words they are apart, of a read on both sides (16 bits each). Klaiber 5.5.1 names the
  // fields and not their widths.
  std::uint32_t count = 2;
  std::uint32_t stride = 2;

  void bind(parameter_set& parameters);
};

/// What is counted, and how.
struct communication_account_config {
  bool enabled = true;
  header_bytes_config header_bytes;
  /// Whether acknowledgements of writes are among the messages; they stand by themselves too.
  bool count_acknowledgements = false;
  /// Whether the answer to an invalidation is, of what is got and sent; of the tree's data and
  /// flags it always is, for header bytes are fitted to hand-offs of four messages.
  bool count_invalidated = false;
  /// Whether messages about lines that a cache never had are.
  bool count_cold = false;
  /// Headers of what gets and sends can say that items are strided; no parameter: the platform says
  /// it.
  bool merges_requests = false;

  void bind(parameter_set& parameters);
};

/// Messages and bytes by what they are for; processors' words to and from interface and memory;
/// interrupts by cause. Everything is counted in events of the trace, so a recording gives the
/// same.
class communication_account final : public observer<trace_event> {
 public:
  explicit communication_account(const communication_account_config& config) : config_(config) {}

  void on_event(const trace_event& event) override;
  void reset();
  void report(statistics_group& into) const;

  TRIBUTARY_STATE(messages_, cold_, data_, cold_data_, ahead_, ahead_data_, acknowledgements_,
                  composed_, taken_, registers_, loaded_, stored_, interrupts_);

 private:
  static constexpr std::size_t purposes = 8;
  static constexpr std::size_t message_types = 11;
  static constexpr std::size_t parts = 8;
  static constexpr std::size_t causes = 3;
  template <class T, std::size_t Columns>
  using by_purpose = std::array<std::array<T, Columns>, purposes>;
  using count = std::uint64_t;

  /// Messages of a purpose and type that are counted.
  count counted(std::size_t purpose, std::size_t type) const;
  count counted_data(std::size_t purpose) const;
  std::uint32_t header_bytes(std::size_t purpose, communication_message type) const;
  void count_ahead(const trace_event& event);
  void report_ahead(statistics_group& into) const;
  void report_messages(statistics_group& into) const;
  void report_processors(statistics_group& into) const;
  void report_interrupts(statistics_group& into) const;

  communication_account_config config_;
  by_purpose<count, message_types> messages_{};
  by_purpose<count, message_types> cold_{};  // of these
  std::array<count, purposes> data_{};       // bytes
  std::array<count, purposes> cold_data_{};
  /// Of what is counted, messages about lines that were fetched ahead.
  by_purpose<count, message_types> ahead_{};
  std::array<count, purposes> ahead_data_{};
  count acknowledgements_ = 0;
  std::array<count, purposes> composed_{};
  std::array<count, purposes> taken_{};
  by_purpose<count, parts> registers_{};  // bytes
  std::array<count, purposes> loaded_{};
  std::array<count, purposes> stored_{};
  by_purpose<count, causes> interrupts_{};
};

}  // namespace tributary
