// SPDX-License-Identifier: Apache-2.0
// Tables of the pages that are looked up in the library: parameters, statistics, operations.
#pragma once

#include <string>
#include <vector>

#include <tributary/sim/parameters.h>
#include <tributary/sim/statistics.h>

namespace tributary::documentation {

/// Markdown table of the machine's parameters in the groups named ("memory"), or of those whose
/// names begin so.
std::string parameter_table(const std::vector<std::string>& prefixes);

/// The same of parameters at hand.
std::string parameter_table(const parameter_set& parameters,
                            const std::vector<std::string>& prefixes);

/// Markdown tables of a FLASH machine: its parameters whose names begin so, and its statistics of
/// transfers.
std::string flash_parameter_table(const std::vector<std::string>& prefixes);
std::string flash_statistics_table();

/// Markdown table of the parameters of a run.
std::string run_parameter_table();

/// Markdown table of the machine's statistics whose paths begin so; one stage stands for all.
std::string statistics_table(const std::string& prefix);
/// The same of everything that a run reports, series over time included.
std::string run_statistics_table();
/// Those that only a run until it is steady has.
std::string steady_statistics_table();
/// The same of a tree at hand.
std::string statistics_table(const statistics_tree& statistics, const std::string& prefix);

/// Forms with what they do to the word, operations with their forms, and which forms compose.
std::string form_table();
std::string operation_table();
std::string composition_table();

/// What a handler may do, with the parameters and results of operations.def.
std::string handler_operation_table();

/// The fields of a directory entry of coherence, by the bits in which they lie.
std::string directory_entry_table();
/// Messages of coherence between nodes: lanes, payloads, who sends them to whom.
std::string coherence_message_table();
/// Messages of coherence with the handlers that serve them, and the handlers that are put off.
std::string coherence_handler_table();
/// What these handlers cost, as parameters.
std::string coherence_cost_table();
/// Parameters of a node's caches: what is between them and the node, and the levels themselves.
std::string processor_caches_table();
std::string cache_level_table();
/// What the caches of a node report, and what is between them and the node.
std::string cache_statistics_table();
std::string line_interface_statistics_table();
std::string coherence_statistics_table();

/// The combining rates at which the limits of gradual queues fall.
std::string gradual_limit_table();

/// The window of aliases: its banks, registers and fields, and the parameters that place it.
std::string alias_bank_table();
std::string alias_register_table();
std::string alias_field_table();
std::string alias_parameter_table();

/// Where elements 0 to 15 of a machine of 16 send by each permutation.
std::string permutation_table();

/// Modules of the first words of regions over four modules, by mapping.
std::string mapping_table();

}  // namespace tributary::documentation
