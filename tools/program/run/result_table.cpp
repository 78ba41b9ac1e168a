// SPDX-License-Identifier: Apache-2.0
#include "result_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>

#include "batch_means.h"
#include "json_path.h"
#include "results.h"
#include "text_table.h"

namespace tributary {
namespace {

/// Marks a cell whose run gave up before what it waits for, had not settled or was not drained.
constexpr const char* not_steady = "\u25cb";

/// What a cell of the table shows.
struct cell {
  std::size_t experiment = 0;
  std::string path;
  std::optional<std::size_t> base = {};  ///< the experiment that its value is divided by
};

struct table_row {
  std::vector<std::string> keys;
  std::vector<std::optional<cell>> cells;  // by column

  template <class Predicate>
  bool any(Predicate&& holds) const {
    return std::any_of(cells.begin(), cells.end(),
                       [&](const std::optional<cell>& each) { return each && holds(*each); });
  }
};

/// What "*" in a path stands for: the names there, in the order of the statistics.
std::vector<std::string> names_for_star(const std::string& path,
                                        const std::vector<flat_statistic>& statistics) {
  const std::size_t star = path.find('*');
  std::vector<std::string> names;
  for (const flat_statistic& each : statistics) {
    if (each.path.size() + 1 < path.size()) continue;
    const std::string name = each.path.substr(star, each.path.size() + 1 - path.size());
    const bool fits = each.path == std::string(path).replace(star, 1, name);
    if (fits && name.find('.') == std::string::npos) names.push_back(name);
  }
  return names;
}

/// The value of a parameter; empty where it has none.
std::string text_at(const json_value& configuration, const std::string& parameter) {
  const json_value* value = find_path(configuration, parameter);
  return value == nullptr ? "" : plain_text(*value);
}

/// Sorts the points of a file into rows and columns.
class table_builder {
 public:
  table_builder(const table_layout& layout, const experiment_file& file,
                const std::vector<std::vector<run_result>>& results,
                const std::vector<published_number>& published)
      : layout_(layout), file_(file), results_(results), published_(published) {
    add_missing_rows();
    has_star_ = layout.value.find('*') != std::string::npos;
    for (std::size_t i = 0; i < file.experiments.size(); ++i) add(i);
    if (!layout.relative_to.empty()) add_bases();
  }

  std::string text() const {
    text_table table(layout_.rows.size() + (has_star_ ? 1 : 0));
    table.add_row(header());
    for (const table_row& row : rows_) {
      table.add_row(line(
          row, [&](const cell& c) { return measured_text(c); }, "-"));
      add_published(row, table);
    }
    return (layout_.title.empty() ? layout_.value : layout_.title) + "\n" + table.to_text(2) +
           legend() + sources();
  }

 private:
  /// What varies and is in neither rows nor columns, as by --set, tells rows apart too.
  void add_missing_rows() {
    for (std::size_t i = 0; i < file_.varied.size(); ++i) {
      const std::string& name = file_.varied[i];
      const bool shown =
          name == layout_.columns ||
          std::find(layout_.rows.begin(), layout_.rows.end(), name) != layout_.rows.end();
      const bool varies = std::any_of(
          file_.experiments.begin(), file_.experiments.end(), [&](const experiment& each) {
            return each.point[i].second != file_.experiments.front().point[i].second;
          });
      if (varies && !shown) layout_.rows.push_back(name);
    }
  }

  void add(std::size_t experiment) {
    const json_value configuration = file_.experiments[experiment].configuration();
    const std::size_t column = column_of(experiment, configuration);
    std::vector<std::string> keys;
    for (const std::string& parameter : layout_.rows) {
      keys.push_back(text_at(configuration, file_.experiments[experiment].own_name(parameter)));
    }
    if (!has_star_) {
      place(keys, column, {experiment, layout_.value});
      return;
    }
    if (results_[experiment].empty()) return;
    const std::size_t star = layout_.value.find('*');
    for (const std::string& name :
         names_for_star(layout_.value, results_[experiment].front().statistics.flatten())) {
      std::vector<std::string> with_name = keys;
      with_name.push_back(name);
      place(with_name, column, {experiment, std::string(layout_.value).replace(star, 1, name)});
    }
  }

  std::size_t column_of(std::size_t experiment, const json_value& configuration) {
    std::string name;
    if (layout_.columns == "series") {
      name = file_.experiments[experiment].series;
    } else if (!layout_.columns.empty()) {
      name = text_at(configuration, file_.experiments[experiment].own_name(layout_.columns));
    }
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    const auto column = static_cast<std::size_t>(found - columns_.begin());
    if (found == columns_.end()) columns_.push_back(name);
    return column;
  }

  void place(const std::vector<std::string>& keys, std::size_t column, cell entry) {
    auto row = std::find_if(rows_.begin(), rows_.end(), [&](const table_row& candidate) {
      const bool taken = column < candidate.cells.size() && candidate.cells[column].has_value();
      return candidate.keys == keys && !taken;
    });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), {keys, {}});
    if (row->cells.size() <= column) row->cells.resize(column + 1);
    row->cells[column] = std::move(entry);
  }

  /// Of each row, the experiment of the column to which the others are relative. A row without one
  /// has no values.
  void add_bases() {
    const auto found = std::find(columns_.begin(), columns_.end(), layout_.relative_to);
    const auto column = static_cast<std::size_t>(found - columns_.begin());
    for (table_row& row : rows_) {
      const bool there = column < row.cells.size() && row.cells[column].has_value();
      const std::size_t base = there ? row.cells[column]->experiment : 0;
      for (std::optional<cell>& each : row.cells) {
        if (!each) continue;
        if (there) {
          each->base = base;
        } else {
          each.reset();
        }
      }
    }
  }

  std::vector<std::string> header() const {
    std::vector<std::string> cells;
    for (const std::string& parameter : layout_.rows) {
      cells.push_back(parameter.substr(parameter.rfind('.') + 1));
    }
    if (has_star_) cells.push_back(star_title());
    for (const std::string& column : columns_) {
      cells.push_back(column.empty() ? layout_.value.substr(layout_.value.rfind('.') + 1) : column);
    }
    return cells;
  }

  /// The name before the star: "stage" in "network.stage.*.combining_rate".
  std::string star_title() const {
    const std::size_t star = layout_.value.find('*');
    if (star < 2) return "name";
    const std::size_t begin = layout_.value.rfind('.', star - 2) + 1;  // 0 if there is none
    return layout_.value.substr(begin, star - 1 - begin);
  }

  template <class Text>
  std::vector<std::string> line(const table_row& row, Text&& text, const char* nothing) const {
    std::vector<std::string> cells = row.keys;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const bool there = column < row.cells.size() && row.cells[column].has_value();
      cells.push_back(there ? text(*row.cells[column]) : nothing);
    }
    return cells;
  }

  /// Seed by seed. 0 if an interrupted run has not come to it; throws if there is no dividing by
  /// it.
  double divisor_of(const cell& entry, std::size_t i) const {
    const std::vector<run_result>& divisors = results_[*entry.base];
    if (i >= divisors.size()) return 0;
    const double divisor = divisors[i].statistics.find(entry.path);
    if (divisor == 0 && !divisors[i].partial) fail_to_divide(entry, divisors[i].seed);
    return divisor;
  }

  std::optional<interval_estimate> measured(const cell& entry) const {
    std::vector<double> samples;
    const std::vector<run_result>& runs = results_[entry.experiment];
    for (std::size_t i = 0; i < runs.size(); ++i) {
      samples.push_back(runs[i].statistics.find(entry.path));
      if (!entry.base) continue;
      const double divisor = divisor_of(entry, i);
      if (divisor == 0) {
        samples.pop_back();
        break;
      }
      samples.back() /= divisor;
    }
    if (samples.empty()) return std::nullopt;
    return estimate_mean(samples, seed_confidence);
  }

  [[noreturn]] void fail_to_divide(const cell& entry, std::uint64_t seed) const {
    throw error(
        fmt::format("{}: table.relative_to: {} is 0 in \"{}\" with seed {}, so that nothing can be "
                    "divided by it; take out relative_to, or choose another column or value (the "
                    "results are stored)",
                    file_.path, entry.path, file_.experiments[*entry.base].name(), seed));
  }

  std::string measured_text(const cell& entry) const {
    const std::optional<interval_estimate> value = measured(entry);
    if (!value || std::isnan(value->mean)) {
      return is_steady(entry) ? "-" : std::string("-") + not_steady;
    }
    std::string text = fmt::format("{:.{}f}", value->mean, layout_.decimals);
    if (!std::isnan(value->half_width)) {
      text += fmt::format(" ± {:.{}f}", value->half_width, layout_.decimals);
    }
    const std::vector<run_result>& runs = results_[entry.experiment];
    const bool partial =
        std::any_of(runs.begin(), runs.end(), [](const run_result& run) { return run.partial; });
    if (partial) return text + "*";
    return is_steady(entry) ? text : text + not_steady;
  }

  bool is_steady(const cell& entry) const {
    const std::vector<run_result>& runs = results_[entry.experiment];
    return std::all_of(runs.begin(), runs.end(), [](const run_result& run) {
      return (run.steady && run.settled && run.undrained.empty()) || run.partial;
    });
  }

  /// What the mark of unsteady cells means, if there are any.
  std::string legend() const {
    if (!any_cell([&](const cell& c) { return !is_steady(c); })) return {};
    return fmt::format(
        "  {} not steady: the run ended before what it waits for was reached, or before the "
        "machine had come to rest, or its drain check failed.\n",
        not_steady);
  }

  const published_number* number_at(const cell& entry) const {
    for (const published_number& number : published_) {
      const bool shown = !entry.base && number.value.has_value() && number.statistic == entry.path;
      if (shown && number.holds_at(file_.experiments[entry.experiment])) return &number;
    }
    return nullptr;
  }

  template <class Predicate>
  bool any_cell(Predicate&& holds) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const table_row& row) { return row.any(holds); });
  }

  void add_published(const table_row& row, text_table& table) const {
    if (!row.any([&](const cell& c) { return number_at(c) != nullptr; })) return;
    table_row below = row;
    std::fill(below.keys.begin(), below.keys.end(), "");
    const auto add = [&](const char* name, const auto& text) {
      if (!below.keys.empty()) below.keys.back() = name;
      table.add_row(line(below, text, ""));
    };
    add("  published", [&](const cell& entry) {
      const published_number* number = number_at(entry);
      return number == nullptr ? std::string() : fmt::format("{:g}", *number->value);
    });
    add("  deviation", [&](const cell& entry) {
      const published_number* number = number_at(entry);
      const std::optional<interval_estimate> value = measured(entry);
      if (number == nullptr || !value) return std::string();
      const double distance = value->mean - *number->value;
      if (*number->value == 0) return fmt::format("{:+.{}f}", distance, layout_.decimals);
      return fmt::format("{:+.1f} %", 100 * distance / *number->value);
    });
  }

  /// Where the published numbers come from, of those that the table shows.
  std::string sources() const {
    std::string text;
    for (const published_number& number : published_) {
      if (!any_cell([&](const cell& c) { return number_at(c) == &number; })) continue;
      text += text.empty() ? "  Published: " : "; ";
      text += fmt::format("{} = {:g} {} ({}{})", number.id, *number.value, number.unit,
                          number.source, number.calibrated ? "; an input was fitted to it" : "");
    }
    return text.empty() ? text : text + ".\n";
  }

  table_layout layout_;
  const experiment_file& file_;
  const std::vector<std::vector<run_result>>& results_;
  const std::vector<published_number>& published_;
  bool has_star_ = false;
  std::vector<std::string> columns_;
  std::vector<table_row> rows_;
};

/// Statistics of the run depend on how it ends, and times on what programs mark.
bool known_before_run(const std::string& path, const platform_model& machine) {
  return path.rfind("run.", 0) != 0 && path.rfind("time.", 0) != 0 &&
         machine.is_known_before_run(path);
}

/// Throws `configuration_error` for a column to which a table is relative and that it cannot have.
void check_base(const table_layout& layout, const experiment_file& file) {
  if (layout.relative_to.empty()) return;
  const auto has_column = [&](const experiment& each) {
    return layout.columns == "series"
               ? each.series == layout.relative_to
               : text_at(each.configuration(), each.own_name(layout.columns)) == layout.relative_to;
  };
  if (!layout.columns.empty() &&
      std::any_of(file.experiments.begin(), file.experiments.end(), has_column)) {
    return;
  }
  throw configuration_error(fmt::format(
      "{}: table.relative_to: \"{}\" is no column of the table, which has {}; name one of its "
      "columns",
      file.path, layout.relative_to,
      layout.columns.empty() ? "no columns" : "one for each value of " + layout.columns));
}

/// Throws `error` that names the nearest if `path`, maybe with a "*", is not among `statistics`.
void check_path(const std::string& path, const std::vector<flat_statistic>& statistics) {
  const std::size_t star = path.find('*');
  if (star != std::string::npos && names_for_star(path, statistics).empty()) {
    throw error("no statistic fits \"" + path + "\"; results.json lists all under \"summary\"");
  }
  if (star == std::string::npos) find_statistic(statistics, path);
}

}  // namespace

void check_tables(const experiment_file& file) {
  if (file.tables.empty()) return;
  for (const table_layout& layout : file.tables) check_base(layout, file);
  // What there is depends on the design and on the size.
  std::set<std::pair<std::string, std::uint64_t>> checked;
  for (const experiment& each : file.experiments) {
    if (!checked.emplace(each.series, each.machine->size()).second) continue;
    const std::vector<flat_statistic> statistics = each.machine->statistics().flatten();
    for (const table_layout& layout : file.tables) {
      if (!known_before_run(layout.value, *each.machine)) continue;
      try {
        check_path(layout.value, statistics);
      } catch (const error& problem) {
        throw configuration_error(file.path + ": table.value: " + problem.what());
      }
    }
  }
}

std::string result_table(const table_layout& layout, const experiment_file& file,
                         const std::vector<std::vector<run_result>>& results,
                         const std::vector<published_number>& published) {
  return table_builder(layout, file, results, published).text();
}

}  // namespace tributary
