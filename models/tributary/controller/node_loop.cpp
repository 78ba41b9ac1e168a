// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/node_loop.h>

#include <algorithm>
#include <utility>

#include <tributary/network/choice/network_choice.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

node_loop::node_loop(const message_network_config& network, std::uint32_t nodes,
                     cargo_store& messages)
    : node_loop(make_message_network(network, nodes), messages) {}

node_loop::node_loop(std::unique_ptr<message_network> network, cargo_store& messages)
    : messages_(messages), network_(std::move(network)), due_(network_->nodes()) {
  blocks_.add(*network_);
  ports_.reserve(network_->nodes());
  for (std::uint32_t i = 0; i < network_->nodes(); ++i) {
    ports_.emplace_back(*network_, node_id{i});
  }
}

void node_loop::add(stepped_node& node) {
  const std::size_t place = nodes_.size();
  network_->attach(node_id{static_cast<std::uint32_t>(place)}, node.endpoint());
  node.follow(over_, due_.at(place));
  nodes_.push_back(&node);
  blocks_.add(node);
}

cycle_t node_loop::next_wakeup() const {
  cycle_t next = network_->next_wakeup();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (due_[i] == 0) due_[i] = nodes_[i]->next_wakeup();
    next = std::min(next, due_[i]);
  }
  return next;
}

void node_loop::run_until(cycle_t last, const std::function<bool()>& stop,
                          const std::function<void(cycle_t)>& tell) {
  while (now_ < last) {
    const cycle_t next = next_wakeup();
    // To the last cycle though nothing happens in it: statistics are over the cycles until then.
    now_ = std::min(next, last);
    try {
      simulate_cycle();
    } catch (...) {
      if (tell) tell(now_);  // what led there
      throw;
    }
    if (tell) tell(now_);
    if (next <= last && stop && stop()) return;
  }
}

void node_loop::show(current_activity* activity) {
  activity_ = activity;
  for (stepped_node* const node : nodes_) node->show(activity);
}

void node_loop::simulate_cycle() {
  if (activity_ != nullptr) activity_->set(network_->name());
  network_->advance_to(now_);
  set_activity(activity_, nullptr);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (due_[i] > now_) continue;
    nodes_[i]->advance_to(now_);
    due_[i] = 0;
  }
  over_ = now_ + 1;
}

void node_loop::reset_statistics() {
  measured_from_ = now_;
  blocks_.reset_statistics();
}

std::string node_loop::save() const {
  return save_state(now_, measured_from_, messages_.save(), blocks_.save());
}

void node_loop::restore(const std::string& state) {
  std::string messages;
  std::string blocks;
  restore_state(state, now_, measured_from_, messages, blocks);
  messages_.restore(messages);
  blocks_.restore(blocks);
  over_ = 0;  // restored agendas know their cycle themselves
  std::fill(due_.begin(), due_.end(), cycle_t{0});
}

}  // namespace tributary
