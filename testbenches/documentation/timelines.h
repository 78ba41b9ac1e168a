// SPDX-License-Identifier: Apache-2.0
// The timing diagrams of the pages, drawn by running the blocks.
#pragma once

#include <string>

namespace tributary::documentation {

/// A decoupled and a coupled queue under the same arrivals.
std::string combining_queue_timeline();
/// A systolic queue, column by column.
std::string systolic_queue_timeline();
/// Two fetch-and-adds that combine in one switch, and their responses.
std::string combining_switch_timeline();
/// A lone request through a network of 8 elements.
std::string lone_request_timeline();
/// A memory module that the network never leaves alone, with one local request.
std::string memory_timeline();
/// Accesses to a node's DRAM: back to back, a write that waits for its words, gaps before it.
std::string memory_controller_timeline();
/// Accesses of three processors of a bus, and their phases.
std::string snooping_bus_timeline();
/// A line that streams from memory through a data buffer to the network.
std::string data_buffers_timeline();
/// Two messages that meet on their way through a hypercube.
std::string routed_network_timeline();

}  // namespace tributary::documentation
