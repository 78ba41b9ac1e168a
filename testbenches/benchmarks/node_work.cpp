// SPDX-License-Identifier: Apache-2.0
#include "node_work.h"

#include <tributary/algorithms/fbcopy.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/uncached.h>

namespace tributary::benchmarks {

node_work::node_work(std::uint32_t nodes, node_traffic traffic) : traffic_(traffic) {
  config_.nodes = nodes;
  config_.network.topology = topology_kind::hypercube;
  config_.node.memory.bytes = std::uint64_t{1} << 18;
}

std::vector<std::unique_ptr<protocol>> node_work::protocols() {
  const protocol_costs costs;
  block_transfer_config transfer;
  transfer.user_bytes = config_.node.protocol_storage();
  std::vector<std::unique_ptr<protocol>> made;
  made.push_back(std::make_unique<uncached_protocol>(costs.uncached));
  made.push_back(std::make_unique<block_transfer_protocol>(transfer, costs.block_transfer,
                                                           costs.pp_ownership, lines_));
  return made;
}

void node_work::begin(magic_node& node) {
  if (!programs_) {
    programs_.emplace(config_, make_program([this](program_context& context) { run(context); }));
  }
  programs_->elements().add(node);
}

void node_work::run(program_context& context) const {
  if (traffic_ == node_traffic::copies) copy(context);
  const std::uint64_t own = config_.node.addresses.address_of(node_id{context.rank()}, 0, 0);
  while (true) context.load(own);
}

void node_work::copy(program_context& context) const {
  constexpr std::uint64_t page = 4096;
  const address_layout& layout = config_.node.addresses;
  const node_id here{context.rank()};
  const node_id next{(context.rank() + 1) % context.size()};
  const fbcopy_mapping mapping = physical_mapping(layout, here);
  program_port port(context);
  for (word_t copies = 1;; ++copies) {
    fbcopy(port, mapping, layout.address_of(here, 0, 2 * page),
           layout.address_of(next, 0, 4 * page), page, layout.address_of(here, 0, 0));
    fbcopy_wait(port, layout.address_of(here, 0, 0), copies);
  }
}

busy_nodes::busy_nodes(std::uint32_t nodes, node_traffic traffic)
    : work_(nodes, traffic),
      machine_(work_.machine(), [this](node_id) { return work_.protocols(); }) {
  for (std::uint32_t i = 0; i < nodes; ++i) work_.begin(machine_.node(i));
}

std::uint64_t busy_nodes::dispatches() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < machine_.size(); ++i)
    sum += machine_.node(i).processing().dispatches();
  return sum;
}

}  // namespace tributary::benchmarks
