// SPDX-License-Identifier: Apache-2.0
// Random machines of nodes with MAGIC, under block transfers and uncached accesses of all kinds:
// one that was saved in any cycle and restored goes on as if nothing had been.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program_workload.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>

#include <support/random_magic_machine.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::random_case;
using testing::user_bytes;

/// A machine and the programs on it.
class running_machine final : observer<node_event> {
 public:
  explicit running_machine(const random_case& what)
      : what_(what),
        machine_(what.machine, [this](node_id) { return protocols(); }),
        map_(what.machine.node.addresses.regions(what.machine.nodes,
                                                 what.machine.node.protocol_storage(),
                                                 what.machine.node.memory.line_bytes),
             what.machine.nodes),
        work_(program_config(), make_program([this](program_context& context) { run(context); }),
              what.element, map_, what.seed),
        elements_(work_) {
    elements_.add_all(machine_);
  }
  ~running_machine() override { machine_.observers().detach(*this); }

  void run_until(cycle_t last) {
    machine_.run_until(last, [this] { return work_.finished() && machine_.idle(); });
  }
  cycle_t now() const { return machine_.now(); }
  void reset_statistics() {
    machine_.reset_statistics();
    work_.reset_statistics();
  }

  std::string save() const { return save_state(machine_.save(), work_.save()); }
  void restore(const std::string& state) {
    std::string machine;
    std::string work;
    restore_state(state, machine, work);
    work_.restore(work);
    machine_.restore(machine);
  }

  /// Runs to the end; what happened, and how it ended.
  std::string go_on() {
    machine_.observers().attach(*this);
    run_until(never - 1);
    EXPECT_TRUE(work_.finished());
    statistics_tree tree;
    machine_.report(tree.group("machine"));
    work_.report(tree.group("work"));
    return events_ + tree.to_json_text() + save();
  }

 private:
  void on_event(const node_event& event) override { events_ += testing::text_of(event) + '\n'; }

  std::vector<std::unique_ptr<protocol>> protocols() {
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<uncached_protocol>(what_.costs.uncached));
    made.push_back(std::make_unique<block_transfer_protocol>(
        what_.transfer, what_.costs.block_transfer, what_.costs.pp_ownership, lines_));
    return made;
  }

  std::uint64_t address(std::uint64_t node, std::uint64_t offset) const {
    return what_.machine.node.addresses.address_of(node_id{static_cast<std::uint32_t>(node)}, 0,
                                                   offset);
  }

  void run(program_context& context) {
    const fbcopy_mapping mapping =
        physical_mapping(what_.machine.node.addresses, node_id{context.rank()},
                         what_.transfer.page_bytes, what_.machine.node.memory.line());
    program_port port(context);
    for (int round = 0; round < 2; ++round) {
      for (std::uint64_t n = context.random(15); n-- > 0;) {
        const std::uint64_t where =
            address(context.random(context.size()), context.random(user_bytes / 8) * 8);
        switch (context.random(4)) {
          case 0:
            context.post(operation::store, where, n, 0);
            break;
          case 1:
            context.fence();
            break;
          default:
            context.load(where);
        }
        context.delay(context.random(3) * 10);
      }
      const std::uint64_t from = context.random(context.size());
      const std::uint64_t to = context.random(context.size());
      const std::uint64_t source = 4096 + context.random(user_bytes / 2 - 8192);
      const std::uint64_t destination = user_bytes / 2 + context.random(user_bytes / 2 - 4096);
      fbcopy(port, mapping, address(from, source), address(to, destination),
             1 + context.random(3000), address(context.rank(), 64));
    }
  }

  const random_case& what_;
  uncached_lines lines_;
  magic_machine machine_;
  address_map map_;
  program_workload work_;
  node_elements elements_;
  std::string events_;
};

TEST(magic_checkpoint, of_random_machines) {
  for (std::uint64_t i = 0; i < testing::scaled(25); ++i) {
    const random_case what(20000 + i);
    cycle_t length = 0;
    {
      running_machine whole(what);
      whole.run_until(never - 1);
      length = whole.now();
    }
    random_stream draws(i, 6U, 0U);
    for (int round = 0; round < 2; ++round) {
      const cycle_t when = 1 + draws.below(length);
      running_machine saved(what);
      saved.run_until(when / 2);
      if (round == 1) saved.reset_statistics();
      saved.run_until(when);
      const std::string state = saved.save();
      running_machine restored(what);
      restored.run_until(draws.below(2) * when / 3);
      restored.restore(state);
      EXPECT_TRUE(restored.save() == state);
      // Not EXPECT_EQ: these are megabytes.
      ASSERT_TRUE(restored.go_on() == saved.go_on()) << what.text() << ", cycle " << when;
    }
  }
}

}  // namespace
}  // namespace tributary
