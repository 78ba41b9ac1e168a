// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_file.h"

#include <algorithm>
#include <cstddef>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include "file_bytes.h"
#include "json_path.h"
#include "results.h"

namespace tributary {
namespace {

constexpr const char* magic = "tributary checkpoint 1\n";

/// The first parameter that differs, as "name is X there and Y here".
std::string first_difference(const std::string& there, const json_value& here) {
  const json_document saved = json_document::from_text(there, "the checkpoint's configuration");
  const auto old_values = flatten_object(saved.root());
  const auto new_values = flatten_object(here);
  for (std::size_t i = 0; i < std::min(old_values.size(), new_values.size()); ++i) {
    if (old_values[i] == new_values[i]) continue;
    return new_values[i].first + " was " + plain_text(old_values[i].second) + " and is now " +
           plain_text(new_values[i].second);
  }
  return "the parameters are not the same";
}

}  // namespace

void write_checkpoint(const std::string& path, const experiment& point, std::uint64_t seed,
                      cycle_t cycle, const std::string& state) {
  const std::string content =
      save_state(program_version(), point.configuration().to_text(), seed, cycle, state);
  write_file_atomically(path, magic + save_state(checksum(content)) + content);
}

saved_run read_checkpoint(const std::string& path, const experiment& point, std::uint64_t seed) {
  const std::string bytes = read_bytes(path, "give a file that --checkpoint wrote");
  const std::string begin = magic;
  const std::size_t sum_size = save_state(std::uint64_t{0}).size();
  if (bytes.compare(0, begin.size(), begin) != 0 || bytes.size() < begin.size() + sum_size) {
    throw input_error(path + ": this is no checkpoint; give a file that --checkpoint wrote");
  }
  std::uint64_t sum = 0;
  restore_state(bytes.substr(begin.size(), sum_size), sum);
  const std::string content = bytes.substr(begin.size() + sum_size);
  if (sum != checksum(content)) {
    throw input_error(path + ": the checkpoint is damaged or cut off; make it again");
  }
  std::string version;
  std::string configuration;
  std::uint64_t saved_seed = 0;
  saved_run saved;
  restore_state(content, version, configuration, saved_seed, saved.cycle, saved.state);
  const auto refuse = [&path](const std::string& origin, const std::string& allowed,
                              const std::string& advice) {
    throw configuration_error(
        {"--resume", path, "the checkpoint is of " + origin, allowed, advice});
  };
  if (version != program_version()) {
    refuse("version " + version, "version " + program_version(), "make it again");
  }
  if (configuration != point.configuration().to_text()) {
    refuse("another configuration: " + first_difference(configuration, point.configuration()), "",
           "resume with the run file and --set of its run");
  }
  if (saved_seed != seed) {
    const std::string own = std::to_string(saved_seed);
    refuse("seed " + own, "", "add --seed " + own);
  }
  return saved;
}

}  // namespace tributary
