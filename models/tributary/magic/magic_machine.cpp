// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/magic_machine.h>

#include <algorithm>
#include <string>

#include <tributary/network/choice/network_choice.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void magic_machine_config::bind(parameter_set& parameters) {
  parameters.add("nodes", nodes, {2, 128}, "", "Nodes of the machine.");
  parameters.add_group("clock", network.clock, "Clock of nodes and network.");
  parameters.add_group("network", network, "Routers and links between the nodes.");
  parameters.add_group("node", node, "Every node: MAGIC and its memory.");
}

void magic_machine_config::validate() const {
  check_ranges(*this);
  check_part("node", [&] { node.validate(nodes); });
  network.validate(nodes);
}

magic_machine::magic_machine(const magic_machine_config& config, const protocol_maker& protocols)
    : config_((config.validate(), config)),
      network_(make_message_network(config_.network, config_.nodes)),
      due_(config_.nodes) {
  blocks_.add(*network_);
  ports_.reserve(config_.nodes);
  for (std::uint32_t i = 0; i < config_.nodes; ++i) {
    ports_.emplace_back(*network_, node_id{i});
    nodes_.push_back(std::make_unique<magic_node>(config_.node, node_id{i}, config_.nodes,
                                                  ports_.back(), messages_, protocols(node_id{i})));
    network_->attach(node_id{i}, nodes_.back()->endpoint());
    nodes_.back()->follow(over_, due_[i]);
    blocks_.add(*nodes_.back());
  }
}

magic_machine::~magic_machine() = default;

cycle_t magic_machine::next_wakeup() const {
  cycle_t next = network_->next_wakeup();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (due_[i] == 0) due_[i] = nodes_[i]->next_wakeup();
    next = std::min(next, due_[i]);
  }
  return next;
}

void magic_machine::run_until(cycle_t last, const std::function<bool()>& stop) {
  observe();
  while (now_ < last) {
    const cycle_t next = next_wakeup();
    // To the last cycle though nothing happens in it: statistics are over the cycles until then.
    now_ = std::min(next, last);
    simulate_cycle();
    if (next <= last && stop && stop()) return;
  }
}

bool magic_machine::show(current_activity* activity) {
  activity_ = activity;
  for (const auto& node : nodes_) node->show(activity);
  return true;
}

void magic_machine::simulate_cycle() {
  try {
    set_activity(activity_, network_->name());
    network_->advance_to(now_);
    set_activity(activity_, nullptr);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (due_[i] > now_) continue;
      nodes_[i]->advance_to(now_);
      due_[i] = 0;
    }
    over_ = now_ + 1;
  } catch (...) {
    tell(now_);  // what led there
    throw;
  }
  tell(now_);
}

void magic_machine::reset_statistics() {
  measured_from_ = now_;
  blocks_.reset_statistics();
}

void magic_machine::report(statistics_group& into) { blocks_.report(into, now_ - measured_from_); }

std::string magic_machine::save() const {
  return save_state(now_, measured_from_, messages_, blocks_.save());
}

void magic_machine::restore(const std::string& state) {
  std::string blocks;
  restore_state(state, now_, measured_from_, messages_, blocks);
  blocks_.restore(blocks);
  over_ = 0;  // restored agendas know their cycle themselves
  std::fill(due_.begin(), due_.end(), cycle_t{0});
}

}  // namespace tributary
