// SPDX-License-Identifier: Apache-2.0
// The bus of a node: caches that snoop, memory behind them, devices beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/bus/bus_transaction.h>
#include <tributary/bus/snooping_bus_config.h>
#include <tributary/memory/line_memory.h>
#include <tributary/memory/line_port.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// A split-transaction bus, on the processors' agenda; its edges are multiples of `ratio`.
///
/// A transaction has an address phase and, unless it is an upgrade, a data phase. Each of the two
/// buses is granted round robin, the address bus to masters, the data bus to who drives the words.
/// Of a master goes what waits longest; what was retried goes behind the rest. A fixed time behind
/// the address phase the answer is known: then all caches have done at once what was asked of them,
/// so that the order of address phases is the order of coherence. From its address phase until its
/// last word a line is under way: what others want of it waits, and then goes in the order in which
/// it was asked for.
///
/// The owner of a line (modified or owned), or the write-back buffer that it left for, supplies it
/// instead of memory. An owner that keeps nothing behind a read, as with MESI, has memory written
/// as the words pass. A line that is read exclusively out of a write-back buffer is not written
/// back; an upgrade that meets one there is retried. An upgrade whose line another master takes
/// first is refused. All caches of a bus have the same states.
class snooping_bus final : public block, private timed_block {
 public:
  /// Requests that a cache has outstanding at most, numbered by their tags.
  static constexpr std::size_t most_requests = 8;
  static constexpr std::size_t most_masters = 64;

  /// References must outlive it; `time` counts the processors' cycles, and so does `memory`, whose
  /// offsets begin at the start of `memory_at`. Throws `configuration_error` as `validate` does,
  /// and for no masters, more than `most_masters`, or a range that is not whole lines.
  snooping_bus(const snooping_bus_config& config, std::size_t masters, const bus_range& memory_at,
               agenda& time, line_memory& memory);
  snooping_bus(const snooping_bus&) = delete;
  snooping_bus& operator=(const snooping_bus&) = delete;
  ~snooping_bus();

  const snooping_bus_config& config() const { return config_; }
  std::size_t masters() const { return masters_.size(); }

  // Before the first cycle.
  /// The cache of a master. One without a cache has none and is not snooped.
  void set_client(std::size_t master, line_client& client) { masters_[master].client = &client; }
  /// Throws `configuration_error` for a range that is empty, not whole words, or meets memory or
  /// another device.
  void attach(const bus_range& at, bus_device& device);
  /// Throws `configuration_error` for a range that is empty or meets another watcher's.
  void watch(const bus_range& at, transaction_watcher& watcher);

  /// Where a master's cache asks for lines.
  line_port& lines(std::size_t master);
  /// Where a master's uncached accesses go: loads and stores of words of devices, one at a time in
  /// their order. A load returns the word, a store 0. Anything else is refused by `check`.
  processor_port& words(std::size_t master);

  /// The deferred transactions for the line that holds an address ask for the bus again; returns
  /// how many there were.
  std::size_t resume(std::uint64_t address, cycle_t now);

  /// A transaction that its watcher has deferred.
  struct deferred_transaction {
    std::size_t master = 0;
    std::uint64_t line = 0;
    cycle_t since = 0;  ///< in which the cache asked
  };
  /// The one that waits longest; nothing if there is none.
  std::optional<deferred_transaction> oldest_deferred() const;
  /// The words of a line in a write-back buffer, which memory does not have; null if in none.
  const line_data* leaving(std::uint64_t line) const;
  /// Whether a transaction for the line is between address phase and last word.
  bool under_way(std::uint64_t line) const;

  const char* name() const override { return "bus"; }
  /// Whether nobody waits for anything, and all write-backs are done.
  bool idle() const override;
  void reset_statistics() override;
  /// `cycles` of the processors.
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  class line_side;
  class word_side;

  /// What a cache has asked for.
  struct line_request {
    enum class stage : std::uint8_t { free, ready, under_way, deferred };
    stage at = stage::free;
    line_want want = line_want::shared;
    std::uint64_t address = 0;
    std::uint64_t age = 0;    ///< among the requests for its line
    std::uint64_t order = 0;  ///< among what its master asks for
    cycle_t since = 0;
    cycle_t from = 0;  ///< the first edge at which it takes part in the arbitration

    bool waits(cycle_t now) const { return at == stage::ready && from <= now; }

    TRIBUTARY_STATE(at, want, address, age, order, since, from);
  };
  /// A line in a write-back buffer.
  struct leaving_line {
    std::uint64_t line = 0;
    line_data words{};
    bool under_way = false;
    std::uint64_t order = 0;
    cycle_t since = 0;
    cycle_t from = 0;

    TRIBUTARY_STATE(line, words, under_way, order, since, from);
  };
  /// An uncached access.
  struct word_access {
    access request;
    pe_id element{};
    bool under_way = false;
    std::uint64_t order = 0;
    cycle_t since = 0;
    cycle_t from = 0;

    TRIBUTARY_STATE(request, request.kind, element, under_way, order, since, from);
  };
  /// A posted store that the port has taken.
  struct taken_store {
    pe_id element{};
    std::uint64_t tag = 0;

    TRIBUTARY_STATE(element, tag);
  };
  struct master_state {
    line_client* client = nullptr;
    memory_client* word_client = nullptr;
    std::array<line_request, most_requests> requests{};  // by tag
    std::vector<leaving_line> leaving;
    fifo<word_access> words;
    fifo<taken_store> taken;       ///< posted stores that the processor has not been told of
    std::uint64_t incomplete = 0;  ///< posted stores that no device has

    TRIBUTARY_STATE(requests, leaving, words, taken, incomplete);
  };
  struct transaction {
    enum class stage : std::uint8_t { free, answering, waiting, moving };
    stage at = stage::free;
    bus_transaction kind = bus_transaction::read;
    std::uint32_t master = 0;
    std::uint8_t tag = 0;
    std::uint64_t address = 0;
    std::uint64_t number = 0;  ///< of its address phase on the bus
    cycle_t since = 0;
    cycle_t begin = 0;         ///< of the address phase
    cycle_t from = 0;          ///< the first edge at which the words can move
    std::uint32_t source = 0;  ///< who drives them
    bool to_memory = false;    ///< memory takes them as they pass
    line_answer answer;
    word_t value = 0;

    TRIBUTARY_STATE(at, kind, master, tag, address, number, since, begin, from, source, to_memory,
                    answer.exclusive, answer.words, answer.valid, answer.changed, value);
  };
  struct attached_device {
    bus_range at;
    bus_device* device;
  };
  struct attached_watcher {
    bus_range at;
    transaction_watcher* watcher;
  };

  /// What a master would put on the address bus next.
  struct candidate {
    bus_transaction kind = bus_transaction::read;
    std::size_t number = 0;  ///< of the request or of the leaving line
    std::uint64_t order = 0;
  };
  /// What the caches and write-back buffers have of a line.
  struct snooped_line {
    bool found = false;  ///< somebody else had it
    std::optional<std::size_t> owner;
    bool owner_keeps = false;  ///< and still answers for its words
    bool from_buffer = false;
    line_data words{};  ///< of the owner
  };
  /// An upgrade that came too late.
  struct lost_upgrade {
    std::size_t master;
    std::uint8_t tag;
  };

  void wake(cycle_t now, std::uint64_t tag) override;

  TRIBUTARY_STATE(masters_, transactions_, next_order_, next_number_, address_wake_, address_free_,
                  data_wake_, data_free_, last_master_, last_source_, counted_, latency_,
                  address_waits_, data_waits_, address_busy_, data_busy_, supplied_by_caches_,
                  supplied_by_buffers_, supplied_by_memory_, memory_updates_, retries_, deferrals_,
                  resumed_, refused_, forbidden_);

  // What masters ask for.
  void check_line(std::uint64_t address) const;
  bool has_room(std::size_t master) const {
    return masters_[master].leaving.size() < config_.write_backs;
  }
  void ask(std::size_t master, line_want want, std::uint64_t address, std::uint8_t tag,
           cycle_t now);
  void write_back(std::size_t master, std::uint64_t line, const line_data& words, cycle_t now);
  void check_word(const access& request) const;
  void offer(std::size_t master, std::size_t element, const access& request, cycle_t now);
  void tell_taken(std::size_t master, cycle_t now);

  // The address bus.
  void want_address(cycle_t from);
  void grant_address(cycle_t now);
  std::optional<candidate> next_of(std::size_t master, cycle_t now) const;
  /// Whether one that waits may.
  bool may_go(const line_request& asked, cycle_t now) const;
  void begin(std::size_t master, const candidate& chosen, cycle_t now);
  /// The earliest edge from `since` on at which somebody who waits began or begins to ask; `never`
  /// if nobody does.
  cycle_t next_asked(cycle_t since) const;

  // The answer.
  void answer(transaction& about, cycle_t now);
  void answer_line(transaction& about, cycle_t now);
  void answer_word(transaction& about, cycle_t now);
  watch_verdict verdict_on(const transaction& about, cycle_t now) const;
  void put_off(transaction& about, watch_verdict verdict, cycle_t now);
  void put_off_word(transaction& about, cycle_t now);
  template <class Asked>
  void ask_later(Asked& retried, cycle_t now);
  snooped_line snoop(const transaction& about, std::vector<lost_upgrade>& lost, cycle_t now);
  void snoop_cache(const transaction& about, std::size_t master, snooped_line& found,
                   std::vector<lost_upgrade>& lost, cycle_t now);
  void snoop_buffer(const transaction& about, std::size_t master, snooped_line& found, cycle_t now);
  void take_owner(const transaction& about, std::size_t master, const line_data& words,
                  snooped_line& found) const;
  void end_upgrade(transaction& about, cycle_t now);
  void read_owner(transaction& about, const snooped_line& found, cycle_t now);
  void read_memory(transaction& about, cycle_t now);
  void refuse(const std::vector<lost_upgrade>& lost, cycle_t now);

  // The data bus.
  void await_data(transaction& about, std::size_t source, cycle_t from);
  void want_data(cycle_t from);
  void grant_data(cycle_t now);
  /// The first transaction whose words this source can move now; null if there is none.
  transaction* ready_at(std::size_t source, cycle_t now);
  void move(transaction& granted, cycle_t now);
  line_stamps stamps(const transaction& of, cycle_t now) const;
  void fill(transaction& about, cycle_t now);
  void end(transaction& over, cycle_t now);
  void end_write_back(transaction& over, cycle_t now);
  void end_word(transaction& over, cycle_t now);
  void free(transaction& over, cycle_t now);

  cycle_t edge_behind(cycle_t now) const { return (now / config_.ratio + 1) * config_.ratio; }
  cycle_t edge_from(cycle_t now) const {
    return (now + config_.ratio - 1) / config_.ratio * config_.ratio;
  }
  cycle_t bus_cycles(std::uint64_t count) const { return count * config_.ratio; }
  std::size_t memory_source() const { return masters_.size(); }
  std::size_t sources() const { return masters_.size() + 1 + devices_.size(); }
  std::size_t slot_of(const transaction& each) const {
    return static_cast<std::size_t>(&each - transactions_.data());
  }
  transaction* free_transaction();
  transaction& woken(std::size_t slot, transaction::stage stage);
  /// Null if there is none.
  const attached_device* device_at(std::uint64_t address) const;
  bool is_device_word(std::uint64_t address) const {
    return address % word_bytes == 0 && device_at(address) != nullptr;
  }
  const leaving_line* leaving_of(std::size_t master, std::uint64_t line) const;
  void remove_leaving(std::size_t master, const leaving_line& gone, cycle_t now);
  void tell_address(const transaction& about, watch_verdict verdict) const;
  void tell_data(const transaction& about, cycle_t now, cycle_t last) const;
  void check_restored(const master_state& own) const;
  void check_restored(const transaction& about) const;
  [[noreturn]] void fail(const std::string& problem) const;

  snooping_bus_config config_;
  bus_range memory_at_;
  line_size line_;
  agenda& agenda_;
  line_memory& memory_;
  std::vector<std::unique_ptr<line_side>> line_sides_;
  std::vector<std::unique_ptr<word_side>> word_sides_;
  std::vector<attached_device> devices_;
  std::vector<attached_watcher> watchers_;
  trace_point trace_;

  std::vector<master_state> masters_;
  std::vector<transaction> transactions_;
  std::uint64_t next_order_ = 0;
  std::uint64_t next_number_ = 0;  // of an address phase
  cycle_t address_wake_ = never;   // the wake-up that grants the address bus next
  cycle_t address_free_ = 0;
  cycle_t data_wake_ = never;
  cycle_t data_free_ = 0;
  std::uint64_t last_master_ = 0;  // that had the address bus
  std::uint64_t last_source_ = 0;  // that had the data bus

  std::array<counter, bus_transaction_count> counted_;
  std::array<average, bus_transaction_count> latency_;
  average address_waits_;
  average data_waits_;
  counter address_busy_;
  counter data_busy_;
  counter supplied_by_caches_;
  counter supplied_by_buffers_;
  counter supplied_by_memory_;
  counter memory_updates_;
  counter retries_;
  counter deferrals_;
  counter resumed_;
  counter refused_;
  counter forbidden_;
};

}  // namespace tributary
