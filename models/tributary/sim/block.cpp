// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/block.h>

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

block_list::block_list(const std::vector<block*>& blocks) {
  for (block* each : blocks) add(*each);
}

void block_list::add(block& added) {
  const std::string name = added.name();
  if (std::any_of(blocks_.begin(), blocks_.end(),
                  [&](const block* each) { return each->name() == name; })) {
    throw error("two blocks of one list have the name " + name);
  }
  blocks_.push_back(&added);
}

bool block_list::idle() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](const block* each) { return each->idle(); });
}

void block_list::reset_statistics() {
  for (block* each : blocks_) each->reset_statistics();
}

void block_list::trace(const trace_scope& scope) const {
  for (block* each : blocks_) each->trace(scope);
}

void block_list::report(statistics_group& into, std::uint64_t cycles) const {
  for (const block* each : blocks_) each->report(into.group(each->name()), cycles);
}

std::string block_list::save() const {
  std::vector<std::string> names;
  std::vector<std::string> states;
  for (const block* each : blocks_) {
    names.emplace_back(each->name());
    states.push_back(each->save());
  }
  return save_state(names, states);
}

void block_list::restore(const std::string& state) {
  std::vector<std::string> names;
  std::vector<std::string> states;
  restore_state(state, names, states);
  bool fits = names.size() == blocks_.size() && states.size() == blocks_.size();
  for (std::size_t i = 0; fits && i < blocks_.size(); ++i) fits = names[i] == blocks_[i]->name();
  if (!fits) throw input_error("checkpoint does not fit this machine: it has other blocks");
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    try {
      blocks_[i]->restore(states[i]);
    } catch (const input_error& problem) {
      throw input_error(names[i] + ": " + problem.what());
    }
  }
}

}  // namespace tributary
