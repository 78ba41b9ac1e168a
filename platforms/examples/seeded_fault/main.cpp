// SPDX-License-Identifier: Apache-2.0
// Three FLASH nodes with caches, one handler of whose protocol is wrong. `seeded_fault right` runs
// the protocol as it is.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tributary/magic/coherence_audit.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/magic/node_events.h>
#include <tributary/processor/node_programs.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

using namespace tributary;

namespace {

// [fault]
/// Acknowledges an invalidation, and forgets to ask the caches.
void forgetful_invalidate(handler_context& node) {
  const message& asked = node.arrived();
  node.spend(8);
  node.send(message_to(asked.source, coherence::message_type::invalidated, message_lane::reply,
                       asked.address, asked.aux));
}

class faulty_coherence final : public coherence_protocol {
 public:
  using coherence_protocol::coherence_protocol;

  std::vector<handler> handlers() override {
    std::vector<handler> all = coherence_protocol::handlers();
    for (handler& each : all) {
      if (each.name == "invalidate") each.body = forgetful_invalidate;
    }
    return all;
  }
};
// [end]

constexpr std::uint64_t data = 0x1000;  // of node 0
constexpr std::uint64_t flag = 0x2000;

magic_machine_config three_nodes() {
  magic_machine_config config;
  config.nodes = 3;
  config.node.memory.bytes = std::uint64_t{1} << 20;
  config.node.protocol_bytes = std::uint64_t{256} << 10;
  config.node.caches.present = true;
  return config;
}

template <class Coherence>
std::vector<std::unique_ptr<protocol>> protocols_with(const magic_node_config& node) {
  std::vector<std::unique_ptr<protocol>> all;
  all.push_back(std::make_unique<Coherence>(coherence_config(), coherence_costs(),
                                            node.protocol_storage(), node.memory.line()));
  return all;
}

// [program]
/// Node 2 writes the data and then the flag. Node 1 has read the data before; it sees the flag, and
/// reads the data again.
std::unique_ptr<program> pass_a_word(word_t& seen) {
  return make_program([&seen](program_context& pe) {
    if (pe.rank() == 1) {
      pe.load(data);
      pe.delay(8000);
      pe.spin(flag, [](word_t word) { return word == 1; });
      seen = pe.load(data);
    } else if (pe.rank() == 2) {
      pe.delay(4000);
      pe.store(data, 7);
      pe.fence();
      pe.store(flag, 1);
    }
  });
}
// [end]

// [timeline]
/// Prints the handlers that served a line, in the order in which they ended.
class line_timeline final : public observer<trace_event> {
 public:
  line_timeline(const protocol_set& protocols, std::uint64_t line)
      : protocols_(protocols), line_(line) {}

  void on_event(const trace_event& event) override {
    if (event.kind != &node_events::handled || event.address / 128 != line_ / 128) return;
    text += "  cycle " + std::to_string(event.cycle) + ", node " +
            std::to_string(node_events::destination.in(event.details)) + ": " +
            protocols_.name_of(node_events::handler_of(event)) + "\n";
  }
  std::string text;

 private:
  const protocol_set& protocols_;
  std::uint64_t line_;
};
// [end]

// [questions]
/// What the directory and the caches say of each other.
std::string audit_of(const magic_machine& machine) {
  try {
    coherence_audit(machine).check_rest();
  } catch (const simulation_error& problem) {
    return problem.what();
  }
  return "directory and caches agree";
}

/// Acknowledgements that node 1 has sent, and lines that its caches were asked for.
std::string counts_of(magic_machine& machine) {
  statistics_tree tree;
  machine.report(tree.root());
  double asked = 0;
  double sent = 0;
  for (const flat_statistic& each : tree.flatten()) {
    if (each.path == "node.1.protocols.coherence.sent.invalidated.invalidate.messages") {
      sent += each.value;
    }
    if (each.path.rfind("node.1.cache.interventions.invalidate.", 0) == 0) asked += each.value;
  }
  return std::to_string(static_cast<int>(sent)) + " acknowledged by the node, " +
         std::to_string(static_cast<int>(asked)) + " asked of its caches";
}
// [end]

}  // namespace

int main(int argc, char** argv) {
  const bool right = argc > 1 && std::strcmp(argv[1], "right") == 0;
  const magic_machine_config config = three_nodes();
  magic_machine machine(config, [&](node_id) {
    return right ? protocols_with<coherence_protocol>(config.node)
                 : protocols_with<faulty_coherence>(config.node);
  });
  word_t seen = 0;
  processing_element_config processor;
  processor.turnaround = 1;
  node_programs programs(config, pass_a_word(seen), processor);
  programs.elements().add_all(machine);
  line_timeline timeline(machine.node(0).protocols(), data);
  machine.observers().attach(timeline);
  machine.run_until(100'000);
  machine.observers().detach(timeline);

  std::cout << "node 1 " << (programs.finished(1) ? "has ended" : "waits") << ": it read " << seen
            << " after the flag, and 7 was written before it\n"
            << "at rest: " << audit_of(machine) << "\n"
            << "invalidations: " << counts_of(machine) << "\n"
            << "handlers of the line:\n"
            << timeline.text;
  return seen == 7 && programs.finished(1) ? 0 : 1;
}
