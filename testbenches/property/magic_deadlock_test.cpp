// SPDX-License-Identifier: Apache-2.0
// Machines whose queues and buffers are all full drain by the rules of FLASH 2.3.6, D1 to D8, and
// by the buffers that are kept for arriving replies (D9) and other messages (D10); without these
// they get stuck. The long form, with many more seeds: TRIBUTARY_LONG=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/magic/node_events.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

#include <support/unit_trace.h>
#include "support/protocol_lists.h"
#include "support/random_choice.h"
#include "support/sizes.h"
#include "support/usual_line.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

enum draw : std::uint32_t { of_machine, of_sources, handler_totals };

/// A machine and what its nodes do, all from one seed.
struct storm_config {
  storm_config(std::uint64_t number, topology_kind kind, std::uint32_t count) : seed(number) {
    random_stream random(seed, count, of_machine);
    machine.nodes = count;
    machine.network.topology = kind;
    machine.network.bandwidth = one_of(random, {100U, 400U, 800U});
    machine.network.router_buffers = between(random, 1, 4);
    machine.network.endpoint_buffers = one_of(random, {1U, 2U, 4U, 16U});
    magic_node_config& node = machine.node;
    node.memory.bytes = std::uint64_t{1} << 21;  // quick to make
    node.protocol_processor.outgoing_reserve = between(random, 2, 3);
    node.network_interface.out_depth = one_of(random, {4U, 6U, 8U, 16U});
    node.network_interface.own_depth = between(random, 1, 4);
    node.network_interface.reply_first = random.below(2) == 0;
    node.buffers.buffers = one_of(random, {4U, 8U, 16U, 16U});
    node.in.software_queue_turn = between(random, 2, 4);
    node.processor_interface.outstanding = one_of(random, {1U, 4U, 8U});
    pace = one_of(random, {1U, 20U});
    writes = one_of(random, {0U, 50U, 100U});
    hot = one_of(random, {0U, 0U, 50U});
    own = one_of(random, {0U, 0U, 70U});
    pairs = random.below(3) == 0;
    forwards = one_of(random, {0U, 20U, 60U});
    reuse = one_of(random, {50U, 100U});
    twice = one_of(random, {20U, 100U});
  }

  std::string text() const {
    magic_machine_config shown = machine;
    return "seed " + std::to_string(seed) + ", " + parameter_set::of(shown).resolved_json() +
           ", pace " + std::to_string(pace) + ", writes " + std::to_string(writes) + " %, hot " +
           std::to_string(hot) + " %, forwards " + std::to_string(forwards) + " %, pairs " +
           std::to_string(pairs);
  }

  std::uint64_t seed;
  magic_machine_config machine;
  std::uint32_t pace = 1;      ///< greatest distance of two accesses of a processor
  std::uint32_t writes = 0;    ///< of 100 accesses; the others are reads
  std::uint32_t hot = 0;       ///< of 100 accesses go to node 0
  std::uint32_t own = 0;       ///< of 100 accesses go to the processor's own node
  std::uint32_t forwards = 0;  ///< of 100 requests go on to another node
  std::uint32_t reuse = 50;    ///< of 100 requests with payload, answered in the same buffer
  std::uint32_t twice = 20;    ///< of 100 of these, with a second reply from there
  bool pairs = false;          ///< each node accesses only its neighbour by number
  cycle_t stop = 3000;         ///< when the sources stop
};

/// An access of a processor, from its source to the reply that ends it.
struct transaction {
  bool write = false;
  bool complete = false;
  std::uint8_t tag = 0;
};

/// What a test knows of all transactions. Their number is the address's word.
class ledger {
 public:
  /// Accesses that a node may have under way, posted writes included.
  static constexpr std::uint32_t window = 64;

  explicit ledger(std::uint32_t nodes) : of_node_(nodes), open_(nodes) {}

  static node_id origin(std::uint64_t number) {
    return node_id{static_cast<std::uint32_t>(number >> serial_bits)};
  }
  bool may_begin(std::uint32_t node) const { return open_[node] < window; }
  std::uint64_t begin(std::uint32_t node, bool write) {
    ++open_[node];
    of_node_[node].push_back({write, false, 0});
    return (std::uint64_t{node} << serial_bits) | (of_node_[node].size() - 1);
  }
  transaction& at(std::uint64_t number) {
    return of_node_[index(origin(number))].at(number & ((1U << serial_bits) - 1));
  }
  void end(std::uint64_t number) {
    EXPECT_FALSE(at(number).complete) << "transaction " << number << " ended twice";
    at(number).complete = true;
    --open_[index(origin(number))];
    ++ended;
  }
  std::uint64_t begun() const {
    std::uint64_t sum = 0;
    for (const auto& each : of_node_) sum += each.size();
    return sum;
  }

  std::uint64_t ended = 0;
  std::uint64_t refused = 0;
  std::uint64_t put_off = 0;
  std::uint64_t without_buffer = 0;  ///< replies that got none

 private:
  static constexpr unsigned serial_bits = 20;
  std::vector<std::vector<transaction>> of_node_;
  std::vector<std::uint32_t> open_;
};

constexpr std::uint64_t lines_of_memory = 32;
word_t memory_word(std::uint32_t node, std::uint64_t word) {
  return (std::uint64_t{node} + 1) * 0x9e3779b97f4a7c15 + word * 0xc2b2ae3d27d4eb4f;
}
word_t payload_word(std::uint64_t number, std::uint64_t word) {
  return (number + 1) * 0xd6e8feb86659fd93 + word;
}

/// Requests with and without payload, which are answered by lines, sent on, refused or put off.
class storm_protocol final : public fiber_protocol {
 public:
  storm_protocol(const storm_config& config, node_id here, ledger& book)
      : config_(config), draws_(config.seed, index(here), handler_totals), book_(book) {}

  std::string name() const override { return "storm"; }

  std::vector<dispatch_rule> rules() const override {
    const auto rule = [](std::uint8_t type, message_origin origin, place run) {
      return dispatch_rule{type, origin, locality::any,
                           handler_id{static_cast<std::uint16_t>(run)}};
    };
    const auto read = static_cast<std::uint8_t>(common_type::uncached_read);
    const auto write = static_cast<std::uint8_t>(common_type::uncached_write);
    return {rule(read, message_origin::processor, place::read),
            rule(write, message_origin::processor, place::write),
            rule(request_type, message_origin::network, place::request),
            rule(data_type, message_origin::network, place::data),
            rule(extra_type, message_origin::network, place::extra),
            rule(refused_type, message_origin::network, place::refused)};
  }

  std::vector<handler> handlers() override {
    const auto call = [this](void (storm_protocol::*run)(handler_context&)) {
      return [this, run](handler_context& context) { (this->*run)(context); };
    };
    return {{"read", call(&storm_protocol::read)},
            {"write", call(&storm_protocol::write)},
            {"request", call(&storm_protocol::request)},
            {"data", call(&storm_protocol::data)},
            {"extra", call(&storm_protocol::extra)},
            {"refused", call(&storm_protocol::refused)},
            {"serve_later", call(&storm_protocol::serve_later)},
            {"retry", call(&storm_protocol::retry)}};
  }

  std::uint64_t storage_bytes() const override {
    return record_bytes * (ledger::window + most_put_off);
  }
  void initialize(const protocol_storage& where, word_memory& memory) override {
    storage_ = where;
    for (std::uint64_t i = 0; i < ledger::window + most_put_off; ++i) {
      (i < ledger::window ? retries_ : delays_).push_back(where.address + i * record_bytes);
    }
    for (std::uint64_t i = 0; i < lines_of_memory * line_words; ++i) {
      memory.write(i * 8, memory_word(index(where.node), i));
    }
  }

 private:
  enum class place : std::uint16_t {
    read,
    write,
    request,
    data,
    extra,
    refused,
    serve_later,
    retry
  };
  static constexpr std::uint8_t request_type = first_protocol_type;
  static constexpr std::uint8_t data_type = first_protocol_type + 1;
  static constexpr std::uint8_t extra_type = first_protocol_type + 2;
  static constexpr std::uint8_t refused_type = first_protocol_type + 3;
  static constexpr std::uint64_t record_bytes = 64;
  static constexpr std::uint64_t most_put_off = 8;

  // In `aux`: how often a request was sent on; of a payload from memory 1 + line, and node.
  static constexpr unsigned line_shift = 2;
  static constexpr unsigned node_shift = 8;
  static constexpr std::uint16_t hop_mask = 3;

  static std::uint64_t number_of(handler_context& context) {
    return context.addresses().offset_of(context.arrived().address) / 8;
  }
  static message_lane lane_of(std::uint8_t type) {
    return type == request_type ? message_lane::request : message_lane::reply;
  }
  message about(handler_context& context, std::uint8_t type, node_id destination) const {
    message made;
    made.type = type;
    made.over = lane_of(type);
    made.destination = destination;
    made.address = context.arrived().address;
    return made;
  }
  node_id any_node() {
    return node_id{static_cast<std::uint32_t>(draws_.below(config_.machine.nodes))};
  }
  bool happens(std::uint32_t percent) { return draws_.below(100) < percent; }

  void fill_words(handler_context& context, message& what, payload_handle with) {
    const std::uint64_t number = number_of(context);
    for (std::uint64_t i = 0; i < line_words; ++i) {
      context.set_word(with, i, payload_word(number, i));
    }
    what.length = line_bytes;
    what.data = with;
  }
  /// Gives a message a line, made up or from memory, if there is a buffer.
  void add_line(handler_context& context, message& what) {
    const auto with = context.allocate();
    if (!with) {
      ++book_.without_buffer;
      return;
    }
    if (happens(50)) {
      fill_words(context, what, *with);
      return;
    }
    const auto line = static_cast<std::uint32_t>(draws_.below(lines_of_memory));
    context.fill(*with, line * line_bytes);
    what.length = line_bytes;
    what.data = *with;
    what.aux =
        static_cast<std::uint16_t>((line + 1) << line_shift | index(context.here()) << node_shift);
  }
  /// The words are what was sent; waits for all of them.
  static void check(handler_context& context) {
    const message& what = context.arrived();
    const std::uint64_t line = (what.aux >> line_shift) & 63;
    for (std::uint64_t i = 0; i < words_of(what.length); ++i) {
      const word_t wanted = line == 0
                                ? payload_word(number_of(context), i)
                                : memory_word(what.aux >> node_shift, (line - 1) * line_words + i);
      ASSERT_EQ(context.word(what.data, i), wanted) << "doubleword " << i;
    }
  }

  void read(handler_context& context) {
    context.spend(draws_.below(10));
    book_.at(number_of(context)).tag = context.keep_read();
    context.send(
        about(context, request_type, context.addresses().node_of(context.arrived().address)));
  }

  void write(handler_context& context) {
    context.spend(draws_.below(10));
    check(context);
    message what =
        about(context, request_type, context.addresses().node_of(context.arrived().address));
    if (happens(50)) {
      fill_words(context, what, context.arrived().data);
    } else {
      what.length = word_bytes;
      what.data = context.arrived().data;
    }
    context.send(what);
  }

  void request(handler_context& context) {
    context.spend(2 + draws_.below(30));
    if (happens(50)) check(context);
    const message& asked = context.arrived();
    const auto hops = static_cast<std::uint16_t>(asked.aux & hop_mask);
    if (hops == hop_mask || !happens(config_.forwards)) {
      if (happens(10)) {
        put_off(context);
      } else {
        answer(context, true);
      }
      return;
    }
    if (context.space(message_lane::request) == 0) {
      if (happens(50)) {
        put_off(context);
      } else {
        refuse(context);
      }
      return;
    }
    message what = about(context, request_type, any_node());
    what.aux = static_cast<std::uint16_t>(asked.aux + 1);
    what.length = asked.length;
    what.data = asked.data;
    context.send(what);
    if (happens(20)) send_extra(context);
    if (happens(20)) send_extra(context);
  }

  void answer(handler_context& context, bool two) {
    message what = about(context, data_type, ledger::origin(number_of(context)));
    const message& asked = context.arrived();
    if (asked.data != no_payload && happens(config_.reuse)) {
      fill_words(context, what, asked.data);
      if (two && happens(config_.twice)) {
        // The same buffer for both replies.
        message copy = what;
        copy.type = extra_type;
        context.retain(what.data);
        context.send(what);
        context.send(copy);
        return;
      }
    } else {
      add_line(context, what);
    }
    context.send(what);
    if (two && happens(60)) send_extra(context);
  }
  void send_extra(handler_context& context) {
    message what = about(context, extra_type, any_node());
    add_line(context, what);
    context.send(what);
  }
  void refuse(handler_context& context) {
    ++book_.refused;
    context.send(about(context, refused_type, ledger::origin(number_of(context))));
  }
  void put_off(handler_context& context) {
    if (delays_.empty()) {
      refuse(context);
      return;
    }
    ++book_.put_off;
    later(context, delays_, place::serve_later);
  }
  void later(handler_context& context, std::vector<std::uint64_t>& records, place run) {
    ASSERT_FALSE(records.empty());
    message with = about(context, request_type, context.here());
    with.aux = static_cast<std::uint16_t>((records.back() - storage_.address) / record_bytes);
    context.later(
        records.back(),
        handler_id{static_cast<std::uint16_t>(static_cast<std::uint16_t>(storage_.first_handler) +
                                              static_cast<std::uint16_t>(run))},
        with);
    records.pop_back();
  }
  void done(handler_context& context, std::vector<std::uint64_t>& records) {
    const std::uint64_t record = storage_.address + context.arrived().aux * record_bytes;
    context.done();
    records.push_back(record);
  }

  void serve_later(handler_context& context) {
    context.spend(5);
    if (happens(25)) {
      context.again();
      return;
    }
    if (happens(config_.forwards)) {
      message what = about(context, request_type, any_node());
      what.aux = hop_mask;
      if (happens(50)) {
        add_line(context, what);
        what.aux = static_cast<std::uint16_t>(what.aux | hop_mask);
      }
      context.send(what);
      if (happens(50)) send_extra(context);
    } else {
      answer(context, false);
    }
    done(context, delays_);
  }

  void refused(handler_context& context) {
    context.spend(3);
    later(context, retries_, place::retry);
  }

  void retry(handler_context& context) {
    context.spend(5);
    message what =
        about(context, request_type, context.addresses().node_of(context.arrived().address));
    if (book_.at(number_of(context)).write && happens(50)) add_line(context, what);
    context.send(what);
    done(context, retries_);
  }

  void data(handler_context& context) {
    context.spend(2 + draws_.below(10));
    check(context);
    const std::uint64_t number = number_of(context);
    ASSERT_EQ(ledger::origin(number), context.here());
    book_.end(number);
    const transaction& of = book_.at(number);
    if (!of.write) context.answer(of.tag, number);
  }
  void extra(handler_context& context) {
    context.spend(2);
    check(context);
  }

  const storm_config& config_;
  random_stream draws_;
  ledger& book_;
  protocol_storage storage_;
  std::vector<std::uint64_t> retries_;  // free records
  std::vector<std::uint64_t> delays_;
};

/// A processor that asks for whatever it may.
class storm_source final : private timed_block, private memory_client {
 public:
  storm_source(const storm_config& config, magic_node& node, ledger& book)
      : config_(config),
        node_(node),
        draws_(config.seed, index(node.here()), of_sources),
        book_(book) {
    node_.processor().set_client(this);
    node_.clockwork().wake(*this, 1);
  }
  storm_source(const storm_source&) = delete;
  storm_source& operator=(const storm_source&) = delete;
  ~storm_source() { node_.processor().set_client(nullptr); }

  std::uint64_t completed_reads = 0;

 private:
  void wake(cycle_t now, std::uint64_t) override {
    if (now >= config_.stop) return;
    const std::uint32_t here = index(node_.here());
    if (node_.processor().can_take() && book_.may_begin(here)) {
      const bool write = draws_.below(100) < config_.writes;
      const std::uint64_t number = book_.begin(here, write);
      access asked;
      asked.address = node_.config().addresses.address_of(target(), 0, number * 8);
      if (write) asked = posted_store(asked.address, payload_word(number, 0));
      node_.processor().offer(0, asked, now);
    }
    node_.clockwork().wake(*this, now + 1 + draws_.below(config_.pace));
  }
  node_id target() {
    if (draws_.below(100) < config_.own) return node_.here();
    if (config_.pairs) return node_id{index(node_.here()) ^ 1U};
    if (draws_.below(100) < config_.hot) return node_id{0};
    return node_id{static_cast<std::uint32_t>(draws_.below(config_.machine.nodes))};
  }
  void completed(const completion& ended, cycle_t) override {
    if (ended.value != 0) ++completed_reads;
  }
  void room(std::size_t, cycle_t) override {}

  const storm_config& config_;
  magic_node& node_;
  random_stream draws_;
  ledger& book_;
};

/// Counts messages, which must come in the order in which they were sent over their lane, and looks
/// at what the inbox selects: there must be room for what is promised.
class rule_checker final : public observer<trace_event> {
 public:
  explicit rule_checker(magic_machine& machine) : machine_(machine) {}

  void on_event(const trace_event& event) override {
    if (event.kind == &node_events::sent) send(event);
    if (event.kind == &node_events::handled) ++handled[node_events::input.in(event.details)];
    if (event.kind == &node_events::selected) select(event);
    if (event.kind == &node_events::write_selected) keep(event, 1, 0);
  }

  std::array<std::uint64_t, message_lanes> sent{};
  std::array<std::uint64_t, inbox_inputs> handled{};
  std::uint64_t unkept_promises = 0;
  std::uint64_t out_of_order = 0;

 private:
  using stream = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  /// Source, destination and lane.
  static stream stream_of(const trace_event& event) {
    return {node_events::source.in(event.details), node_events::destination.in(event.details),
            node_events::lane.in(event.details)};
  }

  void send(const trace_event& event) {
    ++sent[node_events::lane.in(event.details)];
    under_way_[stream_of(event)].push_back(event.identity);
  }
  void receive(const trace_event& event) {
    std::deque<trace_identity>& expected = under_way_[stream_of(event)];
    if (expected.empty() || expected.front() != event.identity) {
      ++out_of_order;
    } else {
      expected.pop_front();
    }
  }
  void select(const trace_event& event) {
    switch (static_cast<inbox_input>(node_events::input.in(event.details))) {
      case inbox_input::processor:
        keep(event, 1, 0);
        break;
      case inbox_input::request_lane:
        keep(event, 0, 2);
        receive(event);
        break;
      case inbox_input::reply_lane:
        receive(event);
        break;
      case inbox_input::software_queue:
        keep(event, 1, 1);
        break;
      default:
        break;
    }
  }
  /// So many sends are promised on a lane.
  void keep(const trace_event& event, std::uint32_t requests, std::uint32_t replies) {
    const auto& queues = machine_.node(testing::node_of(machine_.catalog(), event)).network();
    if (queues.space(message_lane::request) < requests ||
        queues.space(message_lane::reply) < replies) {
      ++unkept_promises;
    }
  }

  magic_machine& machine_;
  std::map<stream, std::deque<trace_identity>> under_way_;
};

/// How full a machine was at the most.
struct fullness {
  std::size_t requests_out = 0;
  std::size_t replies_out = 0;
  std::size_t requests_in = 0;
  std::uint32_t buffers = 0;

  void look(const magic_machine& machine) {
    for (std::size_t i = 0; i < machine.size(); ++i) {
      const magic_node& node = machine.node(i);
      requests_out = std::max(requests_out, node.network().outgoing(message_lane::request));
      replies_out = std::max(replies_out, node.network().outgoing(message_lane::reply));
      requests_in = std::max(requests_in, node.network().incoming(message_lane::request));
      buffers = std::max(buffers, node.buffers().in_use());
    }
  }
};

struct storm_result {
  bool drained = false;
  bool stuck = false;  ///< nothing will ever happen again, and not everything is done
  std::uint64_t begun = 0;
  fullness full;
  std::string text;
};

/// Where everything is, for a machine that is stuck.
std::string state_of(const magic_machine& machine) {
  std::string text;
  for (std::size_t i = 0; i < machine.size(); ++i) {
    const magic_node& node = machine.node(i);
    const auto lane = [&](message_lane which) {
      return std::to_string(node.network().outgoing(which)) + "/" +
             std::to_string(node.network().incoming(which));
    };
    text += "\n  node " + std::to_string(i) + ": buffers " +
            std::to_string(node.buffers().in_use()) + ", requests out/in " +
            lane(message_lane::request) + ", replies out/in " + lane(message_lane::reply) +
            ", processor " + std::to_string(node.processor().outstanding()) + ", deferred " +
            std::to_string(node.deferred().size());
  }
  return text;
}

storm_result run_storm(const storm_config& config) {
  ledger book(config.machine.nodes);
  magic_machine machine(config.machine, [&](node_id node) {
    return testing::list_of(std::make_unique<storm_protocol>(config, node, book));
  });
  rule_checker checker(machine);
  machine.observers().attach(checker);
  std::vector<std::unique_ptr<storm_source>> sources;
  for (std::size_t i = 0; i < machine.size(); ++i) {
    sources.push_back(std::make_unique<storm_source>(config, machine.node(i), book));
  }
  storm_result result;
  machine.run_until(config.stop, [&] {
    result.full.look(machine);
    return false;
  });
  // Thousands of times what the messages that are left take.
  machine.run_until(config.stop + 3'000'000, [&] { return machine.idle(); });
  machine.run_until(machine.now() + 1000);
  result.begun = book.begun();
  result.drained = machine.idle();
  result.stuck = !result.drained && machine.next_wakeup() == never;
  result.text = config.text() + ": " + std::to_string(book.ended) + " of " +
                std::to_string(book.begun()) + " accesses ended, refused " +
                std::to_string(book.refused) + ", put off " + std::to_string(book.put_off) +
                ", without buffer " + std::to_string(book.without_buffer);
  if (!result.drained) {
    result.text += state_of(machine);
  } else {
    EXPECT_EQ(book.ended, book.begun()) << result.text;
    EXPECT_EQ(checker.sent[0], checker.handled[static_cast<std::size_t>(inbox_input::request_lane)])
        << result.text;
    EXPECT_EQ(checker.sent[1], checker.handled[static_cast<std::size_t>(inbox_input::reply_lane)])
        << result.text;
    for (std::size_t i = 0; i < machine.size(); ++i) {
      EXPECT_EQ(machine.node(i).buffers().in_use(), 0U) << result.text;
    }
  }
  EXPECT_EQ(checker.unkept_promises, 0U) << result.text;
  EXPECT_EQ(checker.out_of_order, 0U) << result.text;
  return result;
}

/// The topologies, each with the nodes that share a router.
constexpr std::array<std::pair<topology_kind, std::uint32_t>, 4> networks{
    {{topology_kind::point_to_point, 1},
     {topology_kind::mesh, 1},
     {topology_kind::hypercube, 1},
     {topology_kind::hypercube, 2}}};

std::uint64_t seeds(std::uint64_t few, std::uint64_t many) {
  return testing::long_form() ? many : testing::halved(few);
}

class magic_deadlock : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(magic_deadlock, full_machines_drain) {
  // Runs in which something was as full as it can be.
  std::uint64_t requests_out = 0;
  std::uint64_t requests_in = 0;
  std::uint64_t replies_out = 0;
  std::uint64_t buffers = 0;
  for (const auto& [kind, nodes_per_router] : networks) {
    for (std::uint64_t seed = 0; seed < seeds(12, 1000); ++seed) {
      storm_config config(seed, kind, GetParam());
      config.machine.network.nodes_per_router = nodes_per_router;
      const storm_result result = run_storm(config);
      ASSERT_TRUE(result.drained) << result.text;
      ASSERT_FALSE(::testing::Test::HasFailure()) << result.text;
      const std::uint32_t depth = config.machine.node.network_interface.out_depth;
      requests_out += result.full.requests_out == depth ? 1 : 0;
      requests_in += result.full.requests_in >= config.machine.network.endpoint_buffers ? 1 : 0;
      replies_out += result.full.replies_out + 1 >= depth ? 1 : 0;
      buffers += result.full.buffers == config.machine.node.buffers.buffers ? 1 : 0;
    }
  }
  if (testing::sanitized) return;
  // Else little was shown.
  EXPECT_GT(requests_out, 0U);
  EXPECT_GT(requests_in, 0U);
  EXPECT_GT(replies_out, 0U);
  EXPECT_GT(buffers, 0U);
}

/// How many of 20 machines (in the long form of 200) of few buffers and fast links get stuck if
/// `change` takes a rule away, while all drain with it. Slow builds look for the first.
template <class Change>
std::uint64_t count_stuck(std::uint32_t nodes, std::uint32_t buffers, const Change& change) {
  const std::uint64_t machines = testing::long_form() ? 200 : 20;
  const std::uint64_t enough = testing::scaled(machines) < machines ? 1 : machines;
  std::uint64_t stuck = 0;
  for (std::uint64_t seed = 0; seed < machines && stuck < enough; ++seed) {
    storm_config config(seed, topology_kind::point_to_point, nodes);
    config.machine.network.bandwidth = 800;
    config.machine.network.router_buffers = 1;
    config.machine.network.endpoint_buffers = 16;
    config.machine.node.network_interface.out_depth = 4;
    config.machine.node.network_interface.own_depth = 1;
    config.machine.node.protocol_processor.outgoing_reserve = 2;
    config.machine.node.processor_interface.outstanding = 8;
    config.machine.node.buffers.buffers = buffers;
    config.pace = 1;
    config.writes = 100;
    config.hot = 0;
    config.own = 0;
    config.forwards = 0;
    config.reuse = 100;
    config.twice = 100;
    config.pairs = false;
    const storm_result with = run_storm(config);
    EXPECT_TRUE(with.drained) << with.text;
    change(config.machine.node.buffers);
    const storm_result without = run_storm(config);
    if (without.drained) continue;
    EXPECT_TRUE(without.stuck) << without.text;
    ++stuck;
  }
  return stuck;
}

TEST_P(magic_deadlock, without_a_buffer_for_replies_some_get_stuck) {
  const std::uint64_t stuck =
      count_stuck(GetParam(), 4, [](data_buffers_config& buffers) { buffers.reply_reserve = 0; });
  RecordProperty("stuck", std::to_string(stuck));
  EXPECT_GT(stuck, 0U);
}

TEST_P(magic_deadlock, without_a_buffer_for_other_arrivals_some_get_stuck) {
  const std::uint64_t stuck =
      count_stuck(GetParam(), 8, [](data_buffers_config& buffers) { buffers.arrival_reserve = 0; });
  RecordProperty("stuck", std::to_string(stuck));
  EXPECT_GT(stuck, 0U);
}

/// Processors load and store words of every node, as fast as they can; each word has one processor
/// that stores it.
void expect_last_stores_to_stay(const storm_config& config) {
  constexpr std::uint64_t words = 16;  // of each processor at each node
  const std::uint32_t nodes = config.machine.nodes;
  const auto offset = [](std::uint64_t processor, std::uint64_t word) {
    return (processor * words + word) * 8;
  };
  std::vector<std::vector<word_t>> stored(nodes, std::vector<word_t>(nodes * words));
  magic_machine machine(config.machine, testing::uncached_only);
  auto storing = make_program([&](program_context& context) {
    const std::uint32_t here = context.rank();
    for (word_t value = 1; context.now() < config.stop; ++value) {
      const std::uint64_t home = config.pairs                       ? here ^ 1U
                                 : context.random(100) < config.hot ? 0
                                                                    : context.random(nodes);
      const bool stores = context.random(100) < config.writes;
      const std::uint64_t word = context.random(words);
      const std::uint64_t address = config.machine.node.addresses.address_of(
          node_id{static_cast<std::uint32_t>(home)}, 0,
          offset(stores ? here : context.random(nodes), word));
      if (stores) stored[here][home * words + word] = value;
      context.post(stores ? operation::store : operation::load, address, value);
      context.delay(context.random(config.pace));
    }
  });
  processing_element_config eager = uncached_processor();
  eager.turnaround = 1;
  node_programs programs(config.machine, std::move(storing), eager, config.seed);
  programs.elements().add_all(machine);
  machine.run_until(config.stop + 3'000'000, [&] {
    return machine.now() > config.stop && machine.idle() && programs.work().finished();
  });
  ASSERT_TRUE(machine.idle()) << config.text() << state_of(machine);
  for (std::uint32_t home = 0; home < nodes; ++home) {
    for (std::uint32_t from = 0; from < nodes; ++from) {
      for (std::uint64_t word = 0; word < words; ++word) {
        ASSERT_EQ(machine.node(home).memory().read(offset(from, word)),
                  stored[from][home * words + word])
            << config.text() << ", word " << word << " of node " << from << " at " << home;
      }
    }
  }
}

TEST_P(magic_deadlock, uncached_accesses_drain_and_the_last_store_stays) {
  for (const auto& [kind, nodes_per_router] : networks) {
    for (std::uint64_t seed = 0; seed < seeds(12, 1000); ++seed) {
      storm_config config(seed, kind, GetParam());
      config.machine.network.nodes_per_router = nodes_per_router;
      config.writes = std::max(config.writes, 50U + static_cast<std::uint32_t>(seed % 50));
      // Loads that are refused and ask again may keep everybody from the buffers that they want if
      // there are very few (FLASH 2.3.5), or if replies always go first.
      config.machine.node.buffers.buffers = 16;
      config.machine.node.network_interface.reply_first = false;
      ASSERT_NO_FATAL_FAILURE(expect_last_stores_to_stay(config));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(nodes, magic_deadlock, ::testing::Values(2U, 4U, 8U, 16U));

}  // namespace
}  // namespace tributary
