// SPDX-License-Identifier: Apache-2.0
// The tables and timing diagrams of the pages are what the library does.
//
// With TRIBUTARY_UPDATE_PAGES set in the environment the sections are written instead of compared.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cluster/cluster_config.h>
#include <cluster/cluster_simulation.h>
#include <reflective/reflective_config.h>
#include <reflective/reflective_simulation.h>
#include <tributary/algorithms/data_parallel_programs/data_parallel_program.h>
#include <tributary/bus/snooping_bus.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/protocol_processor.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/protocols/active_messages/active_messages.h>
#include <tributary/protocols/barriers/barriers.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/protocols/locks/locks.h>
#include <tributary/protocols/primitives/primitives.h>
#include <tributary/protocols/reductions/reductions.h>
#include <tributary/sim/error.h>

#include "barrier_page.h"
#include "coherence_page.h"
#include "line_interface_page.h"
#include "lock_page.h"
#include "page_sections.h"
#include "program_page.h"
#include "readers_writers_page.h"
#include "reference_tables.h"
#include "smp_page.h"
#include "synchronization_page.h"
#include "timelines.h"

namespace tributary::documentation {
namespace {

struct generated_section {
  std::string page;
  std::string name;
  std::function<std::string()> text;
};

std::string page_path(const std::string& page) {
  return std::string(TRIBUTARY_SOURCE_DIR) + "/" + page;
}

generated_section parameters(const std::string& page, const std::vector<std::string>& prefixes) {
  return {page, "parameters", [prefixes] { return parameter_table(prefixes); }};
}

generated_section statistics(const std::string& page, const std::string& prefix) {
  return {page, "statistics", [prefix] { return statistics_table(prefix); }};
}

/// Parameters of a block by itself, as the machine's group `name`.
template <class Config>
generated_section block_parameters(const std::string& page, const std::string& name) {
  return {page, "parameters", [name] {
            Config config;
            parameter_set set;
            set.add_group(name, config, "");
            return parameter_table(set, {name + "."});
          }};
}

/// Statistics of a node's block by itself, which `made` makes around an agenda.
template <class Make>
generated_section block_statistics(const std::string& page, const std::string& name, Make made) {
  return {page, "statistics", [name, made] {
            agenda clockwork;
            statistics_tree tree;
            made(clockwork, tree.group(name));
            return statistics_table(tree, name + ".");
          }};
}

generated_section smp_parameters(const std::string& page, const std::vector<std::string>& prefixes,
                                 const char* name = "parameters") {
  return {page, name, [prefixes] { return smp_parameter_table(prefixes); }};
}

generated_section schedule_section(const std::string& name, std::string (*text)(schedule_kind),
                                   schedule_kind kind) {
  return {"docs/models/schedules.md", name, [text, kind] { return text(kind); }};
}

/// An example that is compiled and run, as a block of code.
std::string example_block(const std::string& file, const std::string& language = "cpp") {
  const std::string source = read_page(page_path("testbenches/documentation/" + file));
  return "```" + language + "\n" + source.substr(source.find('\n') + 1) + "```\n";
}

std::vector<generated_section> sections() {
  const std::string models = "docs/models/";
  return {
      {"README.md", "example", [] { return example_block("readme_example.cpp"); }},
      {models + "protocols.md", "operations", handler_operation_table},
      {models + "combining_queue.md", "timeline", combining_queue_timeline},
      {models + "combining_queue.md", "gradual_limits", gradual_limit_table},
      {models + "systolic_queue.md", "timeline", systolic_queue_timeline},
      {models + "combining_switch.md", "timeline", combining_switch_timeline},
      parameters(models + "combining_switch.md", {"network."}),
      statistics(models + "combining_switch.md", "network.stage"),
      {models + "omega_network.md", "timeline", lone_request_timeline},
      parameters(models + "omega_network.md", {"network.processing_elements"}),
      statistics(models + "omega_network.md", "network."),
      {models + "memory.md", "timeline", memory_timeline},
      parameters(models + "memory.md", {"memory."}),
      statistics(models + "memory.md", "memory."),
      {"docs/platforms/flash.md", "workload_parameters",
       [] {
         return flash_parameter_table(
             {"processor.", "block_transfer.", "workload.kind", "workload.method",
              "workload.sharers", "workload.pattern", "workload.source", "workload.destination",
              "workload.initiator", "workload.bytes", "workload.count", "workload.start",
              "workload.pause", "workload.poll", "workload.check"});
       }},
      {"docs/platforms/flash.md", "cost_parameters",
       [] { return flash_parameter_table({"costs."}); }},
      {"docs/platforms/flash.md", "statistics", flash_statistics_table},
      {models + "memory_controller.md", "timeline", memory_controller_timeline},
      block_parameters<memory_controller_config>(models + "memory_controller.md", "memory"),
      block_statistics(models + "memory_controller.md", "memory",
                       [](agenda& clockwork, statistics_group& group) {
                         memory_controller({}, clockwork).report(group, 0);
                       }),
      {models + "snooping_bus.md", "timeline", snooping_bus_timeline},
      block_parameters<snooping_bus_config>(models + "snooping_bus.md", "bus"),
      block_statistics(models + "snooping_bus.md", "bus",
                       [](agenda& clockwork, statistics_group& group) {
                         memory_controller memory({}, clockwork);
                         snooping_bus({}, 1, {0, 1024}, clockwork, memory).report(group, 0);
                       }),
      {models + "data_buffers.md", "timeline", data_buffers_timeline},
      block_parameters<data_buffers_config>(models + "data_buffers.md", "data_buffers"),
      block_statistics(models + "data_buffers.md", "data_buffers",
                       [](agenda& clockwork, statistics_group& group) {
                         data_buffers({}, clockwork, node_id{0}).report(group, 0);
                       }),
      {models + "coherence.md", "entry", directory_entry_table},
      {models + "coherence.md", "messages", coherence_message_table},
      {models + "coherence.md", "handlers", coherence_handler_table},
      {models + "coherence.md", "home", home_action_table},
      block_parameters<barriers_config>(models + "flash_barriers.md", "barriers"),
      block_parameters<locks_config>(models + "flash_locks.md", "locks"),
      {models + "flash_locks.md", "handlers", lock_handler_table},
      {models + "flash_locks.md", "states", lock_state_diagram},
      {models + "flash_locks.md", "messages", lock_message_table},
      {models + "flash_barriers.md", "handlers", barrier_handler_table},
      {models + "flash_barriers.md", "states", barrier_state_diagram},
      {models + "flash_barriers.md", "messages", barrier_message_table},
      block_parameters<reductions_config>(models + "reductions.md", "reductions"),
      block_parameters<active_messages_config>(models + "active_messages.md", "active_messages"),
      block_parameters<coherence_config>(models + "coherence.md", "coherence"),
      {models + "coherence.md", "costs", coherence_cost_table},
      {models + "coherence.md", "statistics", coherence_statistics_table},
      {models + "pp_ownership.md", "parameters",
       [] {
         return flash_parameter_table({"coherence.owned_lines", "costs.pp_ownership."});
       }},
      {"docs/platforms/protocol-engine.md", "parameters",
       [] {
         return flash_parameter_table({"requests.", "workload.requests."});
       }},
      {models + "fetch_op_handlers.md", "parameters",
       [] {
         return flash_parameter_table({"fetch_op.", "costs.fetch_op."});
       }},
      {models + "kernel_calls.md", "parameters",
       [] {
         return flash_parameter_table({"kernel.", "costs.kernel_calls.", "costs.pages_in_use.",
                                       "costs.software_tlb.",
                                       "node.processor_interface.interrupt"});
       }},
      schedule_section("fixed_diagram", schedule_diagram, schedule_kind::fixed),
      schedule_section("fixed_rows", schedule_table, schedule_kind::fixed),
      schedule_section("floating_diagram", schedule_diagram, schedule_kind::floating),
      schedule_section("floating_rows", schedule_table, schedule_kind::floating),
      schedule_section("single_diagram", schedule_diagram, schedule_kind::single),
      smp_parameters(models + "schedules.md",
                     {"node.schedule", "node.masked_interrupts", "node.readings.", "node.costs."}),
      {models + "smp_node.md", "fixed_request",
       [] { return lone_request_stretches(schedule_kind::fixed); }},
      {models + "smp_node.md", "single_request",
       [] { return lone_request_stretches(schedule_kind::single); }},
      smp_parameters(models + "smp_node.md",
                     {"node.processors", "node.addresses.", "node.memory.", "node.protocol_bytes",
                      "node.memory_cycles", "node.jump_table."}),
      {models + "smp_node.md", "statistics",
       [] {
         return smp_statistics_table({"node.0.role.", "node.0.protocol.",
                                      "node.0.network_interface.", "node.0.processors."});
       }},
      {models + "node_bus.md", "request", request_on_bus},
      smp_parameters(models + "node_bus.md", {"node.level", "node.bus.", "node.caches.",
                                              "node.interface.", "node.memory.", "costs.bus."}),
      {models + "node_bus.md", "statistics",
       [] {
         return smp_statistics_table({"node.0.bus_interface.", "node.0.processor.0."},
                                     node_level::bus);
       }},
      smp_parameters(models + "requests.md", {"costs.null_request.", "costs.fetch_block.",
                                              "segment_bytes", "workload.requests."}),
      smp_parameters(models + "stache.md", {"stache.", "costs.stache"}),
      smp_parameters(models + "block_transfer.md", {"block_transfer.", "costs.block_transfer."},
                     "smp_parameters"),
      {models + "stache.md", "magic_parameters",
       [] {
         return flash_parameter_table({"stache.", "node.memory_cycles"});
       }},
      {models + "stache.md", "words", stache_word_table},
      {models + "stache.md", "messages", stache_message_table},
      {models + "stache.md", "write", stache_write_sequence},
      smp_parameters("docs/platforms/smp.md", {"nodes", "clock.", "processor.", "protocol",
                                               "processor_cost", "costs.fetch_op."}),
      {"docs/platforms/smp.md", "statistics", [] { return smp_statistics_table({"machine."}); }},
      {"docs/platforms/cluster.md", "parameters",
       [] {
         cluster_config config;
         return parameter_table(parameter_set::of(config), {""});
       }},
      {"docs/platforms/cluster.md", "statistics",
       [] {
         const statistics_tree all = cluster_simulation(cluster_config(), 1).statistics();
         return statistics_table(all, "traffic.");
       }},
      {"docs/platforms/reflective.md", "parameters",
       [] {
         reflective_config config;
         return parameter_table(parameter_set::of(config), {""});
       }},
      {"docs/platforms/reflective.md", "statistics",
       [] {
         const statistics_tree all = reflective_simulation(reflective_config(), 1).statistics();
         return statistics_table(all, "operation.");
       }},
      {models + "reflective_ring.md", "parameters",
       [] {
         reflective_config config;
         return parameter_table(parameter_set::of(config), {"ring."});
       }},
      {models + "reflective_ring.md", "statistics",
       [] {
         const statistics_tree all = reflective_simulation(reflective_config(), 1).statistics();
         return statistics_table(all, "ring.");
       }},
      {models + "line_interface.md", "conversions", conversion_table},
      {models + "line_interface.md", "parameters", processor_caches_table},
      {models + "line_interface.md", "statistics", line_interface_statistics_table},
      {models + "cache.md", "parameters", cache_level_table},
      {models + "cache.md", "statistics", cache_statistics_table},
      {models + "routed_network.md", "timeline", routed_network_timeline},
      block_parameters<protocol_processor_config>(models + "protocol_processor.md",
                                                  "protocol_processor"),
      block_parameters<message_network_config>(models + "routed_network.md", "network"),
      {models + "routed_network.md", "statistics",
       [] {
         message_network_config all;
         all.broadcast = true;
         all.reorder_window = 1;
         statistics_tree tree;
         routed_network(all, 2).report(tree.group("network"), 0);
         return statistics_table(tree, "network.");
       }},
      {models + "address_map.md", "mappings", mapping_table},
      parameters(models + "address_map.md", {"addresses."}),
      {models + "aliases.md", "banks", alias_bank_table},
      {models + "aliases.md", "registers", alias_register_table},
      {models + "aliases.md", "fields", alias_field_table},
      {models + "aliases.md", "parameters", alias_parameter_table},
      {models + "aliases.md", "c", [] { return example_block("alias_example.c", "c"); }},
      {models + "aliases.md", "assembler", [] { return example_block("alias_example.s", "asm"); }},
      parameters(models + "network_interface.md", {"interface."}),
      statistics(models + "network_interface.md", "interface."),
      parameters(models + "processing_elements.md", {"processor."}),
      {models + "traffic.md", "permutations", permutation_table},
      parameters(models + "traffic.md",
                 {"workload.kind", "workload.traffic.", "workload.open_loop."}),
      {models + "barriers.md", "references", barrier_reference_table},
      {models + "barriers.md", "latency", barrier_latency_table},
      {models + "barriers.md", "placement", barrier_placement_table},
      parameters(models + "barriers.md", {"workload.program.supersteps."}),
      {models + "locks.md", "references", lock_reference_table},
      {models + "locks.md", "contended", lock_rate_table},
      {models + "readers-writers-locks.md", "references", readers_writers_reference_table},
      {models + "fetch-add-queue.md", "references", queue_reference_table},
      {models + "fetch-add-queue.md", "contended", queue_rate_table},
      {models + "coordination.md", "run_statistics", steady_statistics_table},
      parameters(models + "coordination.md", {"workload.program.readers_writers."}),
      block_parameters<primitive_costs>(models + "primitives.md", "handlers"),
      block_parameters<data_parallel_program>(models + "data_parallel.md", "program"),
      {models + "programs.md", "example", [] { return example_block("program_example.cpp"); }},
      {models + "network-graph.md", "example",
       [] { return example_block("network_graph_example.cpp"); }},
      {models + "programs.md", "timeline", program_timeline},
      parameters(models + "programs.md", {"workload.program."}),
      {models + "programs.md", "statistics", program_statistics_table},
      {"docs/platforms/ultracomputer.md", "run_parameters", [] { return run_parameter_table(); }},
      {"docs/formats/results.md", "statistics", run_statistics_table},
      {models + "operations.md", "forms", form_table},
      {models + "operations.md", "operations", operation_table},
      {models + "operations.md", "composition", composition_table},
      {"README.md", "claims",
       [] { return section_of(read_page(page_path("docs/validation.md")), "claims"); }},
  };
}

TEST(pages, show_what_the_library_does) {
  for (const generated_section& each : sections()) {
    SCOPED_TRACE(each.page + ", section " + each.name);
    const std::string text = each.text();
    EXPECT_EQ(section_in_file(page_path(each.page), each.name, text), text)
        << "run the test with TRIBUTARY_UPDATE_PAGES=1 to write the section, and read it";
  }
}

/// README.md and every page below docs/.
std::vector<std::filesystem::path> all_pages() {
  std::vector<std::filesystem::path> pages{page_path("README.md"), page_path("CONTRIBUTING.md")};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(page_path("docs"))) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  return pages;
}

TEST(pages, link_to_files_that_exist) {
  const auto pages = all_pages();
  EXPECT_GT(pages.size(), 15U);
  for (const std::filesystem::path& page : pages) {
    for (const std::string& target : linked_files(read_page(page.string()))) {
      EXPECT_TRUE(std::filesystem::exists(page.parent_path() / target))
          << page.string() << " links to " << target << ", which does not exist";
    }
  }
}

TEST(pages, have_an_entry_for_each_message_id) {
  const std::string list = read_page(page_path("models/tributary/systemc/messages.h"));
  const std::string entries = read_page(page_path("docs/troubleshooting.md"));
  std::size_t ids = 0;
  for (std::size_t at = list.find("\"/tributary/"); at != std::string::npos;
       at = list.find("\"/tributary/", at + 1)) {
    const std::string id = list.substr(at + 1, list.find('"', at + 1) - at - 1);
    ++ids;
    EXPECT_NE(entries.find("| `" + id + "`"), std::string::npos)
        << "docs/troubleshooting.md has no entry for " << id;
  }
  EXPECT_GT(ids, 3U);
}

TEST(page_sections, lie_between_their_marks) {
  const std::string page = "one\n<!-- generated: x -->\ntwo\n<!-- end -->\nthree\n";
  EXPECT_EQ(section_of(page, "x"), "two\n");
  EXPECT_EQ(section_of(with_section(page, "x", "2\n"), "x"), "2\n");
  EXPECT_THROW(section_of(page, "y"), error);
  EXPECT_THROW(section_of("<!-- generated: x -->\n", "x"), error);
  EXPECT_THROW(read_page(page_path("no such page.md")), error);
}

TEST(page_sections, know_the_links_of_a_page) {
  EXPECT_EQ(linked_files("[a](b.md) ![c](d/e.svg) [f](g.md#h) [i](#j) [k](https://l) `[](m& n)`"),
            (std::vector<std::string>{"b.md", "d/e.svg", "g.md"}));
}

}  // namespace
}  // namespace tributary::documentation
