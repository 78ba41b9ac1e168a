// SPDX-License-Identifier: Apache-2.0
// The protocols of one node, for machines of tests.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <tributary/controller/protocol.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/line_states.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/ids.h>

namespace tributary::testing {

using protocol_list = std::vector<std::unique_ptr<protocol>>;

template <class... Protocol>
protocol_list list_of(std::unique_ptr<Protocol>... each) {
  protocol_list all;
  (all.push_back(std::move(each)), ...);
  return all;
}

/// Loads and stores of words alone.
inline protocol_list uncached_only(node_id /*node*/) {
  return list_of(std::make_unique<uncached_protocol>(uncached_costs{}));
}

/// With block transfers of lines in those states.
inline protocol_list uncached_and_transfers(const block_transfer_config& transfer,
                                            const protocol_costs& costs, line_states& lines) {
  return list_of(std::make_unique<uncached_protocol>(costs.uncached),
                 std::make_unique<block_transfer_protocol>(transfer, costs.block_transfer,
                                                           costs.pp_ownership, lines));
}

}  // namespace tributary::testing
