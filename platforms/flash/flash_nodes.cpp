// SPDX-License-Identifier: Apache-2.0
#include "flash_nodes.h"

#ifdef TRIBUTARY_WITH_SYSTEMC
#include "flash_platform.h"
#endif

namespace tributary {
namespace {

class nodes_in_a_loop final : public flash_nodes {
 public:
  nodes_in_a_loop(const magic_machine_config& config, const protocol_maker& protocols)
      : machine_(config, protocols) {}

  std::size_t size() const override { return machine_.size(); }
  magic_node& node(std::size_t i) override { return machine_.node(i); }
  const magic_node& node(std::size_t i) const override { return machine_.node(i); }
  cycle_t now() const override { return machine_.now(); }
  void run_until(cycle_t last, const std::function<bool()>& stop) override {
    machine_.run_until(last, stop);
  }
  bool idle() const override { return machine_.idle(); }
  observer_list<node_event>& observers() override { return machine_.observers(); }
  std::string save() const override { return machine_.save(); }
  void restore(const std::string& state) override { machine_.restore(state); }
  void reset_statistics() override { machine_.reset_statistics(); }
  void report(statistics_group& into) override { machine_.report(into); }

 private:
  magic_machine machine_;
};

}  // namespace

std::unique_ptr<flash_nodes> make_flash_nodes(engine_kind engine,
                                              const magic_machine_config& config,
                                              const protocol_maker& protocols) {
  require_engine(engine);
#ifdef TRIBUTARY_WITH_SYSTEMC
  if (engine == engine_kind::systemc) {
    try {
      return std::make_unique<flash_platform>(config, protocols);
    } catch (const sc_core::sc_report& problem) {
      throw configuration_error(problem.get_msg());
    }
  }
#endif
  return std::make_unique<nodes_in_a_loop>(config, protocols);
}

}  // namespace tributary
