// SPDX-License-Identifier: Apache-2.0
#include "reference_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <tributary/cache/cache.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/magic/line_interface.h>
#include <tributary/magic/magic_node.h>
#include <tributary/magic/protocol_statistics.h>
#include <tributary/memory/address_map.h>
#include <tributary/memory/operation.h>
#include <tributary/network/omega/combining_queue.h>
#include <tributary/nic/alias_map.h>
#include <tributary/processor/traffic.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/protocols/coherence/directory.h>
#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>
#include <tributary/sim/parameters.h>

#include <flash/flash_machine.h>
#include <run/run_config.h>
#include <run/run_experiment.h>
#include <ultracomputer/ultracomputer.h>
#include <ultracomputer/ultracomputer_model.h>

namespace tributary::documentation {
namespace {

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += (cell.empty() ? "" : " ") + cell + " |";
  return text + "\n";
}

std::string head(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) line += "---|";
  return row(cells) + line + "\n";
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

/// Collects the rows of a group of statistics as `statistics_tree::to_json` writes it.
void add_statistics(const json_value& node, const std::string& path, const std::string& prefix,
                    std::string& rows) {
  const json_value* kind = node.find("kind");
  if (kind != nullptr && kind->is_string()) {
    if (begins_with(path, prefix)) {
      rows += row({code(path), kind->as_string(), node.find("unit")->as_string(),
                   node.find("description")->as_string()});
    }
    return;
  }
  for (const json_member& member : node.as_object()) {
    const bool stages = path == "network.stage";
    const bool lanes = path == "network.lane";
    if ((stages || lanes) && member.key != "0") continue;  // one stage or lane stands for all
    const std::string name = stages ? "S" : lanes ? "L" : member.key;
    add_statistics(member.value, path.empty() ? name : path + "." + name, prefix, rows);
  }
}

const char* const form_expressions[form_count][3] = {
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) \
  {#apply, #compose_a, #compose_b},
#include <tributary/memory/operation_forms.def>
};

struct operation_text {
  const char* name;
  const char* form;
  const char* a;
  const char* b;
};

const operation_text operation_texts[operation_count] = {
#define TRIBUTARY_OPERATION(name, form, a, b, operands) {#name, #form, #a, #b},
#include <tributary/memory/operation_forms.def>
};

struct alias_text {
  const char* name;
  const char* e;
  const char* f;
  std::uint32_t bank;
  operation op;
};

const alias_text alias_texts[] = {
#define TRIBUTARY_ALIAS(name, bank, op, e, f) {#name, #e, #f, bank, operation::op},
#include <tributary/nic/alias_operations.def>
};

/// "fetch_add(data)": what an alias does when `operand` is called so.
std::string alias_call(const alias_text& alias, const std::string& operand) {
  std::string text = std::string(name_of(alias.op)) + "(";
  const std::string columns[] = {alias.e, alias.f};
  for (unsigned i = 0; i < operand_count(alias.op); ++i) {
    text += (i == 0 ? "" : ", ") + (columns[i] == "operand" ? operand : columns[i]);
  }
  return text + ")";
}

std::string hexadecimal(std::uint64_t value) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (; value != 0 || text.size() < 2; value /= 16) text.insert(0, 1, digits[value % 16]);
  return "0x" + text;
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string table_of(const parameter_set& set, const std::vector<std::string>& prefixes) {
  std::string rows = head({"Parameter", "Type", "Unit", "Default", "Range", "Meaning"});
  std::size_t found = 0;
  for (const parameter_description& each : set.describe()) {
    const bool wanted =
        std::any_of(prefixes.begin(), prefixes.end(),
                    [&](const std::string& prefix) { return begins_with(each.name, prefix); });
    if (!wanted) continue;
    ++found;
    rows += row({code(each.name), each.type, each.unit, each.default_value, escaped(each.range),
                 escaped(each.description)});
  }
  if (found == 0) throw error("no parameter begins with " + prefixes.front());
  return rows;
}

using coherence::directory_entry;

/// "26 to 39": the bits of a word that are set, which lie together.
std::string bits_of(word_t word) {
  unsigned first = 0;
  while ((word >> first & 1) == 0) ++first;
  unsigned last = first;
  while (last < 63 && (word >> (last + 1) & 1) != 0) ++last;
  return first == last ? std::to_string(first)
                       : std::to_string(first) + " to " + std::to_string(last);
}

/// A row of the directory's table: the bits that `set` sets in an empty entry.
std::string entry_row(const std::string& name, const std::string& meaning,
                      const std::function<void(directory_entry&)>& set) {
  directory_entry entry;
  set(entry);
  return row({bits_of(entry.word()), code(name), meaning});
}

std::string origin_text(message_origin origin) {
  return origin == message_origin::processor ? "processor" : "network";
}
std::string home_text(locality where) {
  return where == locality::any ? "any" : where == locality::local ? "here" : "elsewhere";
}

/// Caches on what is between them and a node, alone.
struct cached_side {
  agenda time;
  agenda processor_time;
  data_buffers buffers{{}, time, node_id{0}};
  processor_queue queue{8, time, buffers};
  line_interface lines{{}, {}, time, processor_time, node_id{0}, queue, buffers};
  cache caches{{}, processor_time, lines};
};

template <class Block>
std::string block_statistics_table(const Block& block) {
  statistics_tree tree;
  block.report(tree.group(block.name()), 0);
  return statistics_table(tree, block.name() + std::string("."));
}

std::string caches_table(const std::vector<std::string>& prefixes) {
  node_caches_config config;
  parameter_set set;
  set.add_group("processor_caches", config, "");
  return table_of(set, prefixes);
}

ultracomputer_config small_machine(std::uint32_t elements) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  return config;
}

}  // namespace

std::string parameter_table(const std::vector<std::string>& prefixes) {
  ultracomputer_config config;
  return table_of(parameter_set::of(config), prefixes);
}

std::string parameter_table(const parameter_set& parameters,
                            const std::vector<std::string>& prefixes) {
  return table_of(parameters, prefixes);
}

std::string flash_parameter_table(const std::vector<std::string>& prefixes) {
  flash_config config;
  return parameter_table(parameter_set::of(config), prefixes);
}

std::string flash_statistics_table() {
  return statistics_table(flash_machine(flash_config(), 1).statistics(), "transfer.");
}

std::string run_parameter_table() {
  parameter_set set;
  run_config config;
  set.add_group("run", config, "The length of a run.");
  return table_of(set, {"run."});
}

std::string statistics_table(const std::string& prefix) {
  return statistics_table(ultracomputer(small_machine(2), 1).statistics(), prefix);
}

std::string run_statistics_table() {
  experiment what;
  ultracomputer_in(what.machine) = small_machine(2);
  what.run.warmup = 0;
  what.run.cycles = what.run.occupancy_window = 1;
  return statistics_table(run_experiment(what, 1).statistics, "");
}

std::string steady_statistics_table() {
  experiment what;
  ultracomputer_in(what.machine) = small_machine(2);
  what.run.until = run_end::steady;
  what.run.watch = "memory.served";
  what.run.warmup = 0;
  what.run.maximum_cycles = 1;
  return statistics_table(run_experiment(what, 1).statistics, "run.");
}

std::string statistics_table(const statistics_tree& statistics, const std::string& prefix) {
  const json_value tree = statistics.to_json();
  std::string rows;
  add_statistics(*tree.find("statistics"), "", prefix, rows);
  if (rows.empty()) throw error("no statistic begins with " + prefix);
  return head({"Statistic", "Kind", "Unit", "Meaning"}) + rows;
}

std::string form_table() {
  std::string rows = head({"Code", "Form", "New word", "g o f: a", "g o f: b", "Combines"});
  for (unsigned i = 0; i < form_count; ++i) {
    const auto kind = static_cast<form>(i);
    const bool together = combines(kind);
    rows += row(
        {std::to_string(i), code(std::string(name_of(kind))), code(escaped(form_expressions[i][0])),
         together ? code(escaped(form_expressions[i][1])) : "",
         together ? code(escaped(form_expressions[i][2])) : "", together ? "yes" : "never"});
  }
  return rows;
}

std::string operation_table() {
  std::string rows = head({"Operation", "Operands", "Form", "a", "b"});
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto op = static_cast<operation>(i);
    const char* const operands[] = {"none", "e", "e, f"};
    rows += row({code(operation_texts[i].name), operands[operand_count(op)],
                 code(operation_texts[i].form), code(operation_texts[i].a),
                 code(operation_texts[i].b)});
  }
  return rows;
}

std::string handler_operation_table() {
  std::string table = "| Operation | Result | Does |\n|---|---|---|\n";
  const auto add = [&table](const char* name, const char* result, const char* parameters,
                            const char* meaning) {
    const std::string gives = result == std::string("void") ? "" : "`" + std::string(result) + "`";
    table += "| `" + std::string(name) + parameters + "` | " + gives + " | " + meaning + " |\n";
  };
#define TRIBUTARY_HANDLER_OPERATION(name, promptly, result, parameters, asks, gives, meaning) \
  add(#name, #result, #parameters, meaning);
#include <tributary/controller/operations.def>
  return table;
}

std::string directory_entry_table() {
  constexpr word_t all = ~word_t{0};
  std::string rows = head({"Bits", "Field", "Meaning"});
  rows += entry_row("local", "The home's own processor has the line.",
                    [](directory_entry& entry) { entry.set_local(true); });
  rows += entry_row("pending", "Others were asked, and have not all answered.",
                    [](directory_entry& entry) { entry.set_pending(true); });
  rows += entry_row("dirty", "One has it exclusive: the home's processor, or the remote node.",
                    [](directory_entry& entry) { entry.set_dirty(true); });
  rows += entry_row("early", "The new owner has written it back before the old one told who it is.",
                    [](directory_entry& entry) { entry.set_early(true); });
  rows += entry_row("has_remote", "`remote` names a node.",
                    [](directory_entry& entry) { entry.set_remote(node_id{0}); });
  rows += entry_row("owned", "The owner's protocol processor has it, not its caches.",
                    [](directory_entry& entry) { entry.set_owned(true); });
  rows += entry_row("record", "Number of the record of the write that is under way, or 0.",
                    [&](directory_entry& entry) { entry.set_record(all); });
  rows += entry_row("remote", "One node that has it.", [](directory_entry& entry) {
    directory_entry flag;
    flag.set_remote(node_id{0});
    entry.set_remote(node_id{~std::uint32_t{0}});
    entry = directory_entry(entry.word() ^ flag.word());
  });
  rows += entry_row("acknowledgements", "Invalidations that are not acknowledged.",
                    [&](directory_entry& entry) { entry.set_acknowledgements(all); });
  rows += entry_row("list", "Number of the first list element, or 0.",
                    [&](directory_entry& entry) { entry.set_list(all); });
  return rows;
}

namespace {

/// The protocol of coherence alone, on a node with room for it.
protocol_set coherence_alone() {
  magic_node_config node;
  node.protocol_bytes = std::uint64_t{256} << 10;
  node.memory.bytes = std::uint64_t{1} << 20;
  std::vector<std::unique_ptr<protocol>> alone;
  alone.push_back(std::make_unique<coherence_protocol>(
      coherence_config(), coherence_costs(), node.protocol_storage(), node.memory.line()));
  return {node.site(node_id{0}, 2), std::move(alone)};
}

}  // namespace

/// With one message, which stands for all.
std::string coherence_statistics_table() {
  const protocol_set protocols = coherence_alone();
  protocol_statistics all(protocols);
  message any;
  any.type = static_cast<std::uint8_t>(coherence::message_type::read);
  all.sent(protocols.find("coherence.ask_read"), any);
  return block_statistics_table(all);
}

std::string coherence_message_table() {
  std::string rows = head({"Message", "From", "To", "Lane", "Payload", "Meaning"});
  for (const coherence::message_description& each : coherence::message_descriptions) {
    const bool has_line = each.payload == coherence::message_payload::line;
    rows += row({code(each.name), each.from, each.to, name_of(each.lane), has_line ? "line" : "",
                 each.meaning});
  }
  return rows;
}

std::string coherence_handler_table() {
  const protocol_set protocols = coherence_alone();
  const std::vector<std::string> messages = protocols.message_names();
  std::vector<std::string> unruled = protocols.handler_names();
  std::string rows = head({"Message", "From", "Home", "Handler", "Reads the line ahead"});
  for (const dispatch_rule& rule : protocols.rules()) {
    const std::string name = protocols.name_of(rule.run);
    unruled.erase(std::remove(unruled.begin(), unruled.end(), name), unruled.end());
    rows += row({code(messages.at(rule.type)), origin_text(rule.origin), home_text(rule.where),
                 code(name), rule.ahead == speculation::none ? "" : "yes"});
  }
  for (const std::string& name : unruled) {
    rows += row({"", "software queue", "here", code(name), ""});
  }
  return rows;
}

std::string coherence_cost_table() {
  struct all_costs {
    coherence_costs coherence;
    void bind(parameter_set& parameters) { parameters.add_group("coherence", coherence, ""); }
  } costs;
  parameter_set set;
  set.add_group("costs", costs, "");
  return table_of(set, {"costs.coherence."});
}

std::string processor_caches_table() {
  return caches_table({"processor_caches.present", "processor_caches.clock_ratio",
                       "processor_caches.state_cycles", "processor_caches.invalidation_cycles",
                       "processor_caches.data_cycles", "processor_caches.uncached_pause",
                       "processor_caches.patience"});
}
std::string cache_level_table() { return caches_table({"processor_caches.caches."}); }

std::string cache_statistics_table() { return block_statistics_table(cached_side().caches); }
std::string line_interface_statistics_table() {
  return block_statistics_table(cached_side().lines);
}

std::string composition_table() {
  std::vector<std::string> titles{"First \\ second"};
  for (unsigned i = 0; i < form_count; ++i) {
    titles.push_back(std::string(name_of(static_cast<form>(i))));
  }
  std::string rows = head(titles);
  for (unsigned first = 0; first < form_count; ++first) {
    std::vector<std::string> cells{std::string(name_of(static_cast<form>(first)))};
    for (unsigned second = 0; second < form_count; ++second) {
      const auto f = static_cast<form>(first);
      const auto g = static_cast<form>(second);
      const auto sent = composes(f, g) ? compose({f, 1, 2}, {g, 3, 4}).kind : f;
      cells.push_back(composes(f, g) ? std::string(name_of(sent)) : "");
    }
    rows += row(cells);
  }
  return rows;
}

std::string alias_bank_table() {
  std::string rows = head({"Bank", "Name", "A load performs", "A store performs"});
  for (const alias_text& each : alias_texts) {
    rows += row({std::to_string(each.bank), code(each.name), code(alias_call(each, "operand")),
                 code(alias_call(each, "data"))});
  }
  return rows;
}

std::string alias_register_table() {
  std::string rows = head({"Offset", "Register", "Access", "After reset", "Meaning"});
#define TRIBUTARY_ALIAS_REGISTER(name, offset, reset, meaning) \
  rows += row({hexadecimal(offset), code(#name), "read, write", std::to_string(reset), meaning});
#define TRIBUTARY_ALIAS_CONSTANT_REGISTER(name, offset, value, meaning) \
  rows += row({hexadecimal(offset), code(#name), "read", "", meaning});
#include <tributary/nic/alias_operations.def>
  return rows;
}

std::string alias_field_table() {
  alias_config config;
  config.enabled = true;
  const alias_map map(config, address_map(address_map_config{}, 4));
  std::string rows = head({"Bits", "Field", "Value by default", "Meaning"});
#define TRIBUTARY_ALIAS_FIELD(name, shift, bits, value, meaning)                                 \
  rows += row({std::to_string((shift) + (bits)-1) + " to " + std::to_string(shift), code(#name), \
               hexadecimal((map.identification() >> (shift)) & ((word_t{1} << (bits)) - 1)),     \
               meaning});
#include <tributary/nic/alias_operations.def>
  return rows;
}

std::string alias_parameter_table() {
  parameter_set set;
  alias_config config;
  set.add_group("aliases", config, "Memory-mapped aliases of the operations.");
  return table_of(set, {"aliases."});
}

std::string permutation_table() {
  constexpr std::uint32_t elements = 16;
  const address_map map(address_map_config{}, elements);
  const std::vector<std::pair<std::string, traffic_pattern>> patterns{
      {"shift", traffic_pattern::shift},
      {"transpose", traffic_pattern::transpose},
      {"bit_reversal", traffic_pattern::bit_reversal},
      {"tornado", traffic_pattern::tornado}};
  std::vector<std::string> titles{"Element"};
  for (std::uint32_t pe = 0; pe < elements; ++pe) titles.push_back(std::to_string(pe));
  std::string rows = head(titles);
  for (const auto& [name, pattern] : patterns) {
    traffic_config config;
    config.pattern = pattern;
    traffic requests(config, map, 1);
    std::vector<std::string> cells{code(name)};
    for (std::uint32_t pe = 0; pe < elements; ++pe) {
      const std::uint64_t address = requests.draw(pe).address;
      const mm_id module = map.module_of(*map.region_of(address), address);
      cells.push_back(std::to_string(index(module)));
    }
    rows += row(cells);
  }
  return rows;
}

std::string gradual_limit_table() {
  std::string rows = head({"`slots`", "`queue_type`", "Limit at rate 0, never reached",
                           "Falls by one at these rates, in 256ths"});
  for (const std::uint32_t writers : {1U, 2U}) {
    for (const std::uint32_t slots : {4U, 8U}) {
      combining_queue_config config;
      config.slots = slots;
      config.writers = writers;
      config.adaptive_limit = 2;
      config.adaptation = queue_adaptation::gradual;
      const auto highest = static_cast<unsigned>(combining_queue(config).limit(0));
      const gradual_limit limits(highest, config.adaptive_limit);
      std::string falls;
      for (unsigned rate = 1; rate < 256; ++rate) {
        if (limits.at(static_cast<std::uint8_t>(rate)) ==
            limits.at(static_cast<std::uint8_t>(rate - 1))) {
          continue;
        }
        falls += (falls.empty() ? "" : ", ") + std::to_string(rate);
      }
      rows +=
          row({std::to_string(slots), writers == 1 ? "B" : "A", std::to_string(highest), falls});
    }
  }
  return rows;
}

std::string mapping_table() {
  constexpr std::uint32_t modules = 4;
  constexpr std::uint64_t words = 16;
  const std::vector<std::pair<std::string, region_mapping>> mappings{
      {"interleaved", region_mapping::interleaved},
      {"hashed", region_mapping::hashed},
      {"blocked", region_mapping::blocked},
      {"module", region_mapping::module}};
  std::vector<std::string> titles{"Word of the region"};
  for (std::uint64_t word = 0; word < words; ++word) titles.push_back(std::to_string(word));
  std::string rows = head(titles);
  for (const auto& [name, mapping] : mappings) {
    address_map_config config;
    config.regions.resize(1);
    config.regions[0].size = words * word_bytes;
    config.regions[0].mapping = mapping;
    config.regions[0].module = 2;
    const address_map map(config, modules);
    std::vector<std::string> cells{code(name)};
    for (std::uint64_t word = 0; word < words; ++word) {
      cells.push_back(std::to_string(index(map.module_of(map.regions()[0], word * word_bytes))));
    }
    rows += row(cells);
  }
  return rows;
}

}  // namespace tributary::documentation
