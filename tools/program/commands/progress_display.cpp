// SPDX-License-Identifier: Apache-2.0
#include "progress_display.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <unistd.h>

#include <fmt/format.h>

#include "say.h"

namespace tributary {
namespace {

constexpr const char* erase_line = "\r\x1b[K";

/// "1.2 M", "340 k"
std::string short_number(double value) {
  if (value >= 1e6) return fmt::format("{:.1f} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f} k", value / 1e3);
  return fmt::format("{:.0f} ", value);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

progress_style usual_progress_style() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string(terminal) == "dumb";
  return isatty(STDERR_FILENO) != 0 && !dumb ? progress_style::bar : progress_style::lines;
}

void reading_display::advanced(std::size_t done, std::size_t points) {
  const bool is_line = style_ == progress_style::lines;
  const std::chrono::seconds pause(is_line ? 10 : 1);
  if (style_ == progress_style::silent || clock::now() - drawn_ < pause) return;
  drawn_ = clock::now();
  say(fmt::format("{}{} of {} points read{}", is_line ? "" : erase_line, done, points,
                  is_line ? "\n" : ""));
  is_drawn_ = !is_line;
}

void reading_display::clear() {
  if (!is_drawn_) return;
  say(erase_line);
  is_drawn_ = false;
}

progress_display::progress_display(const std::vector<experiment>& experiments, std::size_t seeds,
                                   progress_style style)
    : experiments_(experiments),
      seeds_(seeds),
      style_(style),
      done_(experiments.size() * seeds, 0.0),
      begin_(clock::now()),
      drawn_(begin_) {
  for (const experiment& each : experiments) {
    costs_.push_back(relative_cost(each));
    open_ended_ = open_ended_ || each.run.until == run_end::finished;
  }
  total_cost_ = static_cast<double>(seeds) * std::accumulate(costs_.begin(), costs_.end(), 0.0);
}

progress_display::~progress_display() { clear(); }

void progress_display::advanced(std::size_t job, const run_progress& progress) {
  cycles_ += progress.cycles;
  const platform_model& machine = *experiments_[job / seeds_].machine;
  block_cycles_[machine.size_unit()] +=
      static_cast<double>(progress.cycles) * static_cast<double>(machine.size());
  const double cost = costs_[job / seeds_];
  done_cost_ += (progress.done - done_[job]) * cost;
  done_[job] = progress.done;
  if (style_ == progress_style::bar && clock::now() - drawn_ > std::chrono::milliseconds(100)) {
    draw();
  }
}

void progress_display::finished(std::size_t experiment, const run_result& result) {
  ++finished_;
  if (style_ != progress_style::lines) return;
  say(fmt::format("{}/{}  {}, seed {}: {} cycles{}\n", finished_, done_.size(),
                  experiments_[experiment].name(), result.seed, result.cycles,
                  result.partial ? ", interrupted" : ""));
}

void progress_display::tell_rate() const {
  if (style_ == progress_style::silent) return;
  std::string text =
      fmt::format("{}cycles in {:.2f} s: {}cycles/s", short_number(static_cast<double>(cycles_)),
                  seconds(), short_number(static_cast<double>(cycles_) / seconds()));
  for (const auto& [block, cycles] : block_cycles_) {
    text += fmt::format(", {}{}-cycles/s", short_number(cycles / seconds()), block);
  }
  say(text + "\n");
}

void progress_display::draw() {
  drawn_ = clock::now();
  is_drawn_ = true;
  say(fmt::format("{}{}", erase_line, bar_text(seconds())));
}

std::string progress_display::bar_text(double seconds) const {
  const std::string rate =
      short_number(static_cast<double>(cycles_) / std::max(seconds, 1e-9)) + "cycles/s";
  if (open_ended_) {
    return fmt::format("{}cycles  {} of {} runs  {}", short_number(static_cast<double>(cycles_)),
                       finished_, done_.size(), rate);
  }
  constexpr std::size_t width = 24;
  const double done = total_cost_ > 0 ? std::clamp(done_cost_ / total_cost_, 0.0, 1.0) : 0.0;
  const auto filled = static_cast<std::size_t>(done * static_cast<double>(width));
  const std::string left = done > 0.005 ? duration_text(seconds * (1 - done) / done) + " left" : "";
  return fmt::format("[{}{}] {:3.0f} %  {} of {} runs  {}  {}", std::string(filled, '='),
                     std::string(width - filled, ' '), 100 * done, finished_, done_.size(), rate,
                     left);
}

void progress_display::clear() {
  if (!is_drawn_) return;
  say(erase_line);
  is_drawn_ = false;
}

}  // namespace tributary
