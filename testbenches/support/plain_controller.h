// SPDX-License-Identifier: Apache-2.0
// A second controller of handlers, as small as it may be: protocols are tried on it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/fiber_executor.h>
#include <tributary/controller/perform_operation.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/line.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

struct plain_machine_config {
  std::uint32_t nodes = 2;
  std::uint64_t memory_bytes = 1 << 20;  ///< a node
  std::uint64_t storage = 1 << 19;       ///< offset of the protocols' storage
  cycle_t latency = 20;                  ///< from a send to its arrival
  std::uint64_t jitter = 0;              ///< up to so many cycles more, drawn for each message
  std::uint64_t seed = 1;
  std::uint32_t lane_depth = 16;  ///< messages that one node may have on the way over one lane
  std::uint32_t payloads = 16;    ///< of one node; one is kept for arriving replies
  address_layout addresses;
  std::vector<facility> facilities{facility::realignment};
  line_size line{};
};

/// A handler that ran, in the order in which they began.
struct handled_message {
  cycle_t begun = 0;
  cycle_t ended = 0;
  node_id node{};
  handler_id run = no_handler;
  message what;
};

class plain_node;

/// Nodes with memory that answers at once and messages that take a fixed time. A node runs one
/// handler at a time; operations take no time, `spend` does. Nothing here is like MAGIC but what
/// `handler_context` promises, and a payload is the place of a line in a list.
///
/// Stops with a `simulation_error` that names handler, node and cycle where a handler sends without
/// space or more than promised without asking, awaits a word that nothing will fill, keeps a
/// payload without `retain`, ends a deferred handler without `again` or `done`, or leaves an
/// uncached read unanswered.
class plain_machine {
 public:
  using protocol_list = std::vector<std::unique_ptr<protocol>>;

  /// `protocols_of` makes the protocols of each node.
  plain_machine(const plain_machine_config& config,
                const std::function<protocol_list(node_id)>& protocols_of);
  ~plain_machine();
  plain_machine(const plain_machine&) = delete;
  plain_machine& operator=(const plain_machine&) = delete;

  const plain_machine_config& config() const { return config_; }
  cycle_t now() const { return agenda_.now(); }
  /// By offset in the node.
  word_memory& memory(node_id node);
  protocol_set& protocols(node_id node);

  /// The processor of `node` reads the word at a 40-bit address, from now on; returns the tag.
  std::uint8_t begin_read(node_id node, std::uint64_t address, std::uint8_t flavor = 0,
                          std::uint8_t process = 0);
  /// What was read, once; nothing while it is under way.
  std::optional<word_t> take_answer(node_id node, std::uint8_t tag);
  /// The processor writes a word and does not wait.
  void begin_write(node_id node, std::uint64_t address, word_t value, std::uint8_t flavor = 0,
                   std::uint8_t process = 0);
  /// Begins a read and runs until it is answered; throws if `limit` cycles do not suffice.
  word_t read(node_id node, std::uint64_t address, cycle_t limit = 1'000'000,
              std::uint8_t flavor = 0, std::uint8_t process = 0);

  /// Runs all cycles up to `last`.
  void run_until(cycle_t last);
  /// Runs until nothing is left to do, or nothing can go on; at most `limit` cycles. Returns
  /// whether it is idle: nothing is queued, under way, held or unanswered.
  bool run(cycle_t limit = 10'000'000);
  bool idle() const;

  const std::vector<handled_message>& handled() const { return handled_; }
  /// How often a handler with a full name ran, on all nodes.
  std::uint64_t count(const std::string& full_name) const;

 private:
  friend class plain_node;

  plain_machine_config config_;
  agenda agenda_;
  random_stream random_;
  std::vector<std::unique_ptr<plain_node>> nodes_;
  std::vector<handled_message> handled_;
  std::uint64_t under_way_ = 0;
};

/// A node of the plain machine.
class plain_node final : public timed_block, public word_memory {
 public:
  plain_node(plain_machine& machine, node_id node, plain_machine::protocol_list protocols);

  word_t read(std::uint64_t address) const override;
  void write(std::uint64_t address, word_t value) override;
  void wake(cycle_t now, std::uint64_t what) override;

  protocol_set& protocols() { return protocols_; }
  std::uint8_t begin_read(message what);
  std::optional<word_t> take_answer(std::uint8_t tag);
  void begin_write(message what, word_t value);
  bool idle() const;

 private:
  struct payload {
    line_data words{};
    std::array<bool, most_line_words> filled{};
    std::uint32_t holders = 0;
  };
  /// On its way or in a queue; its words are in no payload yet.
  struct parcel {
    message header;
    line_data words{};
    cycle_t at = 0;
    node_id from{};
  };
  struct deferred {
    std::uint64_t record = 0;
    handler_id run = no_handler;
    message what;
  };
  struct timed {
    cycle_t at = 0;
    handler_id run = no_handler;
    message what;
  };
  enum class read_state : std::uint8_t { unused, asked, kept, answered };
  struct outstanding_read {
    read_state state = read_state::unused;
    word_t value = 0;
  };
  /// What the running handler has and may do.
  struct running_handler {
    handler_id run = no_handler;
    message what;
    cycle_t at = 0;           ///< of its last operation
    std::uint64_t spent = 0;  ///< before that
    std::size_t place = 0;    ///< in the list of handled messages
    handler_request next;
    bool deferred = false;
    bool reloaded = false;
    std::uint64_t record = 0;
    /// Messages that it may send on each lane: promised, or found by asking.
    std::array<std::uint64_t, message_lanes> may_send{};
    std::map<payload_handle, int> holds;  ///< own ones, those given away subtracted
    std::map<payload_handle, int> retained;
  };
  enum wake_up : std::uint64_t { look_around, go_on, arrival };

  // Choosing.
  void look(cycle_t now);
  bool begin_timed(cycle_t now);
  bool begin_deferred(cycle_t now);
  bool begin_from(std::deque<parcel>& queue, cycle_t now);
  const dispatch_rule* rule_for(const message& what) const;
  std::uint32_t free_slots(message_lane lane) const;
  std::uint32_t free_payloads() const;
  void begin(handler_id run, message what, cycle_t now);
  void receive(cycle_t now);

  // Running.
  void plan(const handler_request& next);
  void go(cycle_t now);
  // The operations of controller/operations.def.
  template <class Controller>
  friend std::optional<handler_answer> tributary::perform_operation(Controller& controller,
                                                                    const handler_request& asked,
                                                                    cycle_t now);
  void now(const handler_request&, cycle_t) {}
  std::uint64_t space(const handler_request& asked, cycle_t now);
  void send(const handler_request& asked, cycle_t now);
  void answer(const handler_request& asked, cycle_t now);
  word_t keep_read(const handler_request& asked, cycle_t now);
  payload_handle allocate(const handler_request& asked, cycle_t now);
  void retain(const handler_request& asked, cycle_t now);
  void release(const handler_request& asked, cycle_t now);
  word_t word(const handler_request& asked, cycle_t now);
  void set_word(const handler_request& asked, cycle_t now);
  void fill(const handler_request& asked, cycle_t now);
  void fill_realigned(const handler_request& asked, cycle_t now);
  void spill(const handler_request& asked, cycle_t now);
  void spill_word(const handler_request& asked, cycle_t now);
  void settle(const handler_request&, cycle_t) {}
  word_t load(const handler_request& asked, cycle_t now);
  void store(const handler_request& asked, cycle_t now);
  void later(const handler_request& asked, cycle_t now);
  void again(const handler_request& asked, cycle_t now);
  void done(const handler_request& asked, cycle_t now);
  void after(const handler_request& asked, cycle_t now);

  void finish(cycle_t now);
  void defer(std::uint64_t record, handler_id run, message what);

  // Payloads and memory.
  payload_handle take_payload();
  void drop(payload_handle which);
  payload& at(payload_handle which);
  word_t& filled_word(payload_handle which, std::uint64_t number, bool for_writing);
  line_size line() const;
  std::uint64_t line_at(std::uint64_t address) const;
  std::uint64_t offset_of(std::uint64_t address, std::uint64_t alignment) const;
  [[noreturn]] void fail(const std::string& problem) const;

  plain_machine& machine_;
  node_id node_;
  protocol_set protocols_;
  fiber_executor executor_;
  std::vector<word_t> memory_;
  std::vector<payload> payloads_;
  std::array<outstanding_read, 8> reads_{};
  std::deque<parcel> processor_;
  std::array<std::deque<parcel>, message_lanes> lanes_;
  std::deque<parcel> coming_;  // by arrival
  std::array<std::uint32_t, message_lanes> out_{};
  std::map<std::pair<node_id, message_lane>, cycle_t> last_arrival_;
  std::deque<deferred> deferred_;
  std::vector<timed> timed_;
  bool deferred_next_ = false;
  std::unique_ptr<running_handler> running_;
  cycle_t free_at_ = 0;
};

}  // namespace tributary::testing
