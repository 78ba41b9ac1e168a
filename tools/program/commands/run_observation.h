// SPDX-License-Identifier: Apache-2.0
// What the command line asks for in addition to results: event files, waveforms, a checkpoint of
// the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <driver/event_files.h>
#include <run/run_experiment.h>

namespace tributary {

struct observation_options {
  event_files files;
  std::optional<cycle_t> keep_next;  ///< `files.kept.after`; as many as before if not given
  std::string fst;                   ///< switches, as network.rtl names them
  std::string fst_folder;            ///< that gets their waveforms
  std::string network_map;
  std::uint64_t checkpoint_at = 0;
  std::string checkpoint;
  std::string resume;

  /// Whether anything is asked for that can be done for one run only.
  bool any() const {
    return files.any() || !fst.empty() || !network_map.empty() || !checkpoint.empty() ||
           !resume.empty();
  }
};

/// Sinks and checkpoint of one run.
class run_observation {
 public:
  /// Checks everything that can be checked before the run. Throws `configuration_error` for options
  /// that do not fit the machine or each other, `input_error` for files that cannot be written or
  /// read.
  run_observation(const observation_options& options, const experiment& point, std::uint64_t seed);

  /// Lets switches of the machine write the waveforms that are asked for. Returns their files.
  /// Throws what the constructor does.
  std::vector<std::string> write_waveforms_of(experiment& point) const;

  /// Hooks of the run; they refer to this object.
  run_hooks hooks();

  /// Whether the checkpoint was written, or none was asked for.
  bool checkpoint_done() const { return checkpoint_done_; }
  /// What became of the run's options that can hardly be meant; after the run.
  std::vector<std::string> warnings() const;
  /// What became of the trigger of a recording, after the run, failed or not; empty without one.
  std::string trigger_text() const;

 private:
  void finish_files(const simulation& simulated, bool partial);
  void write_map(const simulation& simulated, bool partial) const;

  observation_options options_;
  experiment point_;
  std::uint64_t seed_;
  cycle_window window_;
  std::string resumed_state_;
  std::optional<event_observation> files_;
  bool checkpoint_done_ = true;
  cycle_t last_cycle_ = 0;  // that the files saw
  std::optional<trigger_outcome> outcome_;
};

}  // namespace tributary
