// SPDX-License-Identifier: Apache-2.0
// A node whose processor reaches all memory through an ideal cache that is coherent with others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/network_attachment.h>
#include <tributary/memory/line.h>
#include <tributary/memory/port.h>
#include <tributary/memory/word_store.h>
#include <tributary/network/lane_gate.h>
#include <tributary/protocols/ideal_caches/coherence_message.h>
#include <tributary/protocols/ideal_caches/node_set.h>
#include <tributary/protocols/ideal_caches/recent_lines.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of a node with an ideal cache.
struct ideal_cache_config {
  std::uint32_t line_bytes = 32;
  /// Of each node, at offset 0 of its addresses.
  std::uint64_t memory_bytes = std::uint64_t{1} << 22;
  std::uint32_t hit = 1;
  /// Of other nodes' memory, that a cache may hold; 0 for any number. Lines of the own memory need
  /// no place.
  std::uint32_t lines = 0;
  /// Stores are complete for the processor once they are in a buffer (`CACHE_32_aw`).
  bool asynchronous_writes = false;
  std::uint32_t buffer = 16;
  /// Lines behind those that are read are fetched before they are needed (`CACHE_32_pre`).
  bool sequential_prefetch = false;
  /// Stores to words at these offsets of any node's memory update copies; all others invalidate
  /// them (`CACHE_32_wu`). None if the two are equal.
  std::uint64_t update_from = 0;
  std::uint64_t update_to = 0;
  std::uint32_t merge_cycles = 64;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for values out of range.
  void validate(const address_layout& addresses) const;
};

/// What a cache has of a line.
enum class line_holding : std::uint8_t {
  none,
  shared,    ///< a copy
  owned,     ///< to be supplied to others, who may have copies
  exclusive  ///< the only one
};

/// The cache of a node, fully associative and infinite unless `lines` says how many (Klaiber 5.3),
/// and the one processor that asks it. There is no other memory: each line has one owner among the
/// caches, at first that of the node whose address it has. A line is asked for when a load finds
/// none, to be written when a store finds none, and its other copies are invalidated when a store
/// finds a copy: who is asked, and in which order all see it, is a protocol's affair.
///
/// One access of the processor is under way at a time, and is complete `hit` cycles after it was
/// offered or when its line is there; all functions are performed, indivisibly. Memory is
/// sequentially consistent. With `asynchronous_writes` stores that are posted or of bytes go into a
/// buffer, which gives them to the cache in order, one at a time; loads see them, other functions
/// wait for them, and they are incomplete (`incomplete_stores`) until then. So a store never
/// overtakes another, and flags need no fence.
///
/// With `sequential_prefetch` a load also asks for the line behind its own, as a copy, if its own
/// is missing, was fetched ahead and is first used, or is behind the line that was read last; so
/// only the first of a run of lines is waited for in full. The line behind is not asked for if the
/// node has it or waits for it already, or if it is another node's memory. A load that needs it
/// while it is under way waits for it; others may take it away before it is used.
///
/// With `lines` a copy leaves for another one without a message, the least recently used first. Of
/// a line that the node owns it tells the home, which takes the line over by a request of its own,
/// in the order of all requests; until then the node answers for it. Copies elsewhere stay. Who
/// takes a line meanwhile keeps it where the home knows of it (`may_own`).
///
/// Stores that update, which are posted or of bytes, are gathered by line: words go out together
/// when the line is full, at the next access of another kind or line, or `merge_cycles` after the
/// last store. They are incomplete until all nodes are sure to see them before what the node does
/// next.
class coherent_node : public network_attachment,
                      private processor_port,
                      private lane_gate_client,
                      private timed_block {
 public:
  static constexpr std::uint32_t most_nodes = node_set::most_nodes;
  static constexpr std::uint8_t request_lane = 0;
  static constexpr std::uint8_t answer_lane = 1;

  // network_attachment
  processor_port& port() final { return *this; }
  network_endpoint& endpoint() final { return gate_; }
  track_id track() const final { return trace_.track(0); }
  /// In whichever cache it is.
  word_t peek(std::uint64_t offset) const final;
  void poke(std::uint64_t offset, word_t value) final;

  bool idle() const final;
  void reset_statistics() final;
  void report(statistics_group& into, std::uint64_t cycles) const final;
  void trace(const trace_scope& scope) final;
  std::string save() const override;
  void restore(const std::string& state) override;

  const char* name() const override = 0;
  const ideal_cache_config& config() const { return config_; }
  node_id here() const { return here_; }
  /// For observers and tests, of the line with an address.
  line_holding holding(std::uint64_t address) const;
  word_t word_in_cache(std::uint64_t address) const { return words_.read(address); }
  /// The lines of which it has had a copy, but for its own at first.
  std::vector<std::uint64_t> known_lines() const;

 protected:
  struct line_entry {
    line_holding holds = line_holding::none;
    bool had = false;
    bool ahead = false;    ///< a copy that was fetched ahead and is unused
    bool leaving = false;  ///< its home was told to take it
    node_set sharers;      ///< of an owner: nodes with copies

    TRIBUTARY_STATE(holds, had, ahead, leaving, sharers);
  };
  /// A line that was asked for, and the access that needs it.
  struct transaction {
    std::uint64_t line = 0;
    bool writes = false;
    bool keeps_copy = false;  ///< it had one when it asked
    bool of_buffer = false;   ///< else of the processor
    bool ahead = false;       ///< of no access
    bool takes_over = false;  ///< of no access: another owner has no room for the line
    node_set sharers;         ///< of a line that is taken over
    std::uint8_t purpose = 0;
    bool cold = false;
    std::uint64_t number = 0;  ///< of a home's
    bool ordered = false;      ///< its place in the order of all requests is known
    bool has_line = false;
    bool performed = false;  ///< the access is; it may wait for answers
    bool granted = false;    ///< its copy was good enough
    std::uint32_t answers = 0;
    std::uint32_t awaited = 0;  ///< answers, as far as is known
    line_data words{};
    word_t before = 0;                     ///< of the access
    std::vector<coherence_message> later;  ///< what comes behind it, until it is performed

    bool of_access() const { return !ahead && !takes_over; }

    TRIBUTARY_STATE(line, writes, keeps_copy, of_buffer, ahead, takes_over, sharers, purpose, cold,
                    number, ordered, has_line, performed, granted, answers, awaited, words, before,
                    later);
  };

  /// Throws `configuration_error` for values out of range and a network of less than `lanes`.
  coherent_node(const ideal_cache_config& config, const address_layout& addresses,
                const attachment_place& place, coherence_message_pool& messages,
                std::uint32_t lanes);

  // What a protocol does.
  /// Asks for the line of a transaction.
  virtual void request(transaction& asked, cycle_t now) = 0;
  /// Sends words that are stored in a line to all that have it; `update_is_seen` comes later.
  virtual void send_update(coherence_message& update, cycle_t now) = 0;
  /// Whether all nodes see an update before whatever its node stores next, though it is under way.
  /// If not, the node sends the next update, and stores, only when the one before is seen.
  virtual bool orders_updates() const = 0;
  /// A message has arrived, whole.
  virtual void receive(const coherence_message& message, std::uint8_t lane, cycle_t now) = 0;
  /// Others' request, in the order of all of the line, while the node has no transaction of which
  /// that is to be kept from.
  virtual void obey(const coherence_message& message, cycle_t now) = 0;
  /// Whether a line of this home may still be that of an owner who has no room for it. Another
  /// node's store may have been ordered before the owner's word came.
  virtual bool may_own(node_id owner, std::uint64_t line) const = 0;

  // What it is given for that.
  std::uint32_t nodes() const { return nodes_; }
  const address_layout& addresses() const { return addresses_; }
  line_entry& entry(std::uint64_t line);
  /// Null for a line of which it never had a copy.
  line_entry* known(std::uint64_t line);
  bool is_own(std::uint64_t address) const { return addresses_.node_of(address) == here_; }
  /// Null if there is none.
  transaction* find(std::uint64_t line);
  coherence_message message_of(communication_message type, const transaction& asked) const;
  void send(coherence_message message, node_id to, std::uint8_t lane, cycle_t now);
  void broadcast(coherence_message message, cycle_t now);
  /// The line, as the answer to a request.
  void supply(const coherence_message& asked, cycle_t now);
  void apply_update(const coherence_message& update);
  /// The line is no longer here.
  void lose(std::uint64_t line);
  /// An owner has no room for a line of this home.
  void take_back(const coherence_message& message, cycle_t now);
  /// The own update is where all nodes will see it.
  void update_is_seen(cycle_t now);
  /// Performs the access of a transaction on the line, with the words that came if any did, then
  /// obeys what was kept.
  void perform(transaction& about, cycle_t now);
  /// The access is complete; the transaction is no more.
  void end(std::uint64_t line, cycle_t now);
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  struct asked_access {
    access request;
    std::uint64_t element = 0;

    TRIBUTARY_STATE(request, request.kind, request.purpose, element);
  };
  /// The processor's last access, if it was a load. One that repeats it and finds the same is of a
  /// processor that waits for a flag, and observers are not told of it.
  struct last_load {
    bool loads = false;
    std::uint64_t address = 0;
    word_t value = 0;

    TRIBUTARY_STATE(loads, address, value);
  };
  /// Words of a line that are stored and that others do not see yet.
  struct gathered_line {
    bool active = false;
    std::uint64_t line = 0;
    std::uint8_t purpose = 0;
    cycle_t flush_at = 0;
    line_data words{};
    line_data bits{};

    TRIBUTARY_STATE(active, line, purpose, flush_at, words, bits);
  };

  TRIBUTARY_STATE(lines_, words_, transactions_, busy_, waits_, current_, buffer_, draining_,
                  gathered_, flying_, messages_sent_, hits_, misses_, cold_misses_, upgrades_,
                  supplied_, latency_, since_, last_load_, last_read_, fetched_ahead_, used_ahead_,
                  awaited_ahead_, lost_ahead_, recent_, returns_, dropped_, replaced_);

  // processor_port
  void set_client(memory_client* client) final { client_ = client; }
  void check(std::size_t element, const access& request) const final;
  bool can_take(std::size_t element) const final;
  void offer(std::size_t element, const access& request, cycle_t now) final;
  std::size_t waiting(std::size_t element) const final;
  std::size_t outstanding(std::size_t element) const final;
  std::uint64_t incomplete_stores(std::size_t element) const final;
  bool watch(std::uint64_t address, word_t value) final;
  void end_watch(const access& load, std::uint64_t times, cycle_t last) final;
  // lane_gate_client
  void departed(const network_transfer& message, cycle_t now) final;
  void arrived(const network_transfer& message, cycle_t now) final;
  bool take(const network_transfer& message, cycle_t now) final;
  // timed_block
  void wake(cycle_t now, std::uint64_t tag) final;

  std::uint64_t line_of(std::uint64_t address) const { return line_.start(address); }
  bool updates(std::uint64_t address) const;
  /// Whether own stores to the line are on their way to others.
  bool is_pending(std::uint64_t line) const;
  /// Whether a store to the line must wait for updates before it: one that needs no message would
  /// be seen before them.
  bool must_follow(std::uint64_t line) const;
  std::size_t incomplete_updates() const { return flying_.size() + (gathered_.active ? 1 : 0); }

  void run(cycle_t now);
  void drain(cycle_t now);
  /// False if it must wait.
  bool execute(const asked_access& asked, bool of_buffer, cycle_t now);
  bool execute_update(const asked_access& asked, bool of_buffer, cycle_t now);
  /// Whether own stores tell the word without the line.
  bool is_covered(std::uint64_t address) const;
  /// What the own stores that others do not see make of a word.
  word_t as_stored(std::uint64_t address, word_t value) const;
  void flush(cycle_t now);
  transaction& begin(std::uint64_t line, std::uint8_t purpose);
  void begin(const asked_access& asked, bool of_buffer, line_holding holds, cycle_t now);
  /// Fetches what a load of a line gives reason to fetch ahead.
  void look_ahead(std::uint64_t line, bool missed, std::uint8_t purpose, cycle_t now);
  /// Whether the line was fetched ahead, up to now without use.
  bool use_ahead(std::uint64_t line);
  /// Of another node's line, while places are counted.
  void note_use(std::uint64_t line);
  /// Lets lines leave for one that came.
  void make_room(std::uint64_t came, cycle_t now);
  void replace(std::uint64_t line, cycle_t now);
  /// Asks for lines that other owners have no room for, as far as nothing else is under way.
  void take_over(cycle_t now);
  void finish(bool of_buffer, word_t value, cycle_t now);
  void go_on(cycle_t now);
  void tell_if_settled(cycle_t now);
  word_t perform_word(const access& request);
  void tell(const event_kind& kind, const network_transfer& transfer, cycle_t now);
  void tell_access(const access& request, word_t value, cycle_t now);

  ideal_cache_config config_;
  address_layout addresses_;
  line_size line_;
  agenda& agenda_;
  node_id here_;
  std::uint32_t nodes_;
  coherence_message_pool& messages_;
  lane_gate gate_;
  memory_client* client_ = nullptr;
  trace_point trace_;

  std::map<std::uint64_t, line_entry> lines_;
  word_store words_;
  std::map<std::uint64_t, transaction> transactions_;  ///< by line
  bool busy_ = false;                                  ///< with `current_`
  bool waits_ = false;                                 ///< for something to end
  asked_access current_;
  fifo<asked_access> buffer_;
  bool draining_ = false;  ///< its first is with a transaction
  gathered_line gathered_;
  fifo<gathered_line> flying_;
  std::uint64_t messages_sent_ = 0;  ///< by which they are named in traces

  counter hits_;
  counter misses_;
  counter cold_misses_;
  counter upgrades_;
  counter supplied_;
  average latency_;
  cycle_t since_ = 0;  ///< of `current_`
  last_load last_load_;
  std::uint64_t last_read_ = never;  ///< line
  counter fetched_ahead_;
  counter used_ahead_;
  counter awaited_ahead_;
  counter lost_ahead_;
  recent_lines recent_;                     ///< others' lines that have a place
  std::vector<coherence_message> returns_;  ///< of lines that are to be taken over
  counter dropped_;
  counter replaced_;
  /// Of a processor that waits for a word; not saved, for none is watched between two runs.
  std::uint64_t watched_line_ = never;
};

}  // namespace tributary
