// SPDX-License-Identifier: Apache-2.0
// What the pages about SMP nodes show: schedules, and what machines were seen to do.
#pragma once

#include <string>
#include <vector>

#include <tributary/controller/schedule.h>
#include <tributary/smp/smp_node_config.h>

namespace tributary::documentation {

/// The rows of a schedule as a Mermaid diagram, and as a table. Of `single` the rows that one
/// processor can take.
std::string schedule_diagram(schedule_kind kind);
std::string schedule_table(schedule_kind kind);

/// What a request of node 0 to node 1 does, cycle by cycle, while node 1 computes.
std::string lone_request_stretches(schedule_kind kind);

/// The fourth request of a program at level B: duties, handlers, and what passes over the buses.
std::string request_on_bus();

/// Parameters of the platform whose names begin so.
std::string smp_parameter_table(const std::vector<std::string>& prefixes);
/// Statistics of a machine with one processor a node, whose names begin so.
std::string smp_statistics_table(const std::vector<std::string>& prefixes,
                                 node_level level = node_level::constants);

/// Messages of Stache with the handlers that serve them.
std::string stache_message_table();
/// The words that a node keeps of a block, by their bits.
std::string stache_word_table();
/// A store to a block that two nodes have read, as a Mermaid diagram.
std::string stache_write_sequence();

}  // namespace tributary::documentation
