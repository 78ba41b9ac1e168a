// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/statistics.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

namespace tributary {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr const char* series_kind = "series";
constexpr std::size_t most_bins = std::size_t{1} << 24U;

std::uint32_t shift_for(std::uint64_t width, std::uint32_t none) {
  if (width == 0 || (width & (width - 1)) != 0) {
    return none;
  }
  return static_cast<std::uint32_t>(__builtin_ctzll(width));
}

// a * b, or the greatest value where that has no place.
std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

void set_average(json_value& leaf, const average& value) {
  const bool any = value.count() > 0;
  leaf.set("mean", json_value(value.mean()));
  leaf.set("count", json_value(value.count()));
  leaf.set("sum", json_value(value.sum()));
  leaf.set("min", any ? json_value(value.min()) : json_value());
  leaf.set("max", any ? json_value(value.max()) : json_value());
}

void set_histogram(json_value& leaf, const histogram& value) {
  const bool any = value.count() > 0;
  json_value bins = json_value::make_array();
  for (std::size_t bin = 0; bin < value.bins(); ++bin) {
    bins.push_back(json_value(value.bin_count(bin)));
  }
  leaf.set("count", json_value(value.count()));
  leaf.set("p50", any ? json_value(value.percentile(0.50)) : json_value());
  leaf.set("p95", any ? json_value(value.percentile(0.95)) : json_value());
  leaf.set("p99", any ? json_value(value.percentile(0.99)) : json_value());
  leaf.set("scale", json_value("fixed_width"));
  leaf.set("bin_width", json_value(value.bin_width()));
  leaf.set("overflow", json_value(value.overflow()));
  leaf.set("bins", std::move(bins));
}

void set_series(json_value& leaf, const time_series& value) {
  json_value values = json_value::make_array();
  for (const double each : value.values) values.push_back(json_value(each));
  leaf.set("first_cycle", json_value(value.first_cycle));
  leaf.set("last_cycle", json_value(value.last_cycle));
  leaf.set("window", json_value(value.window));
  leaf.set("values", std::move(values));
}

const json_value* kind_of(const json_value& node) {
  const json_value* const kind = node.find("kind");
  return kind != nullptr && kind->is_string() ? kind : nullptr;
}

std::string text_at(const json_value& object, const char* key) {
  const json_value* const text = object.find(key);
  return text != nullptr && text->is_string() ? text->as_string() : std::string();
}

double number_at(const json_value& object, const char* key) {
  const json_value* const number = object.find(key);
  return number != nullptr && number->is_number() ? number->as_number() : nothing;
}

void flatten_leaf(const json_value& leaf, const std::string& path,
                  std::vector<flat_statistic>& rows) {
  const std::string unit = text_at(leaf, "unit");
  const std::string kind = text_at(leaf, "kind");
  if (kind == "average") {
    rows.push_back({path + ".mean", unit, number_at(leaf, "mean")});
    rows.push_back({path + ".count", "samples", number_at(leaf, "count")});
    rows.push_back({path + ".sum", unit, number_at(leaf, "sum")});
    rows.push_back({path + ".min", unit, number_at(leaf, "min")});
    rows.push_back({path + ".max", unit, number_at(leaf, "max")});
  } else if (kind == "histogram") {
    rows.push_back({path + ".count", "samples", number_at(leaf, "count")});
    rows.push_back({path + ".p50", unit, number_at(leaf, "p50")});
    rows.push_back({path + ".p95", unit, number_at(leaf, "p95")});
    rows.push_back({path + ".p99", unit, number_at(leaf, "p99")});
  } else if (kind != series_kind) {
    rows.push_back({path, unit, number_at(leaf, "value")});
  }
}

/// Calls `visit(path, leaf)` for each statistic of a written group.
template <class Visit>
void for_each_leaf(const json_value& group, const std::string& path, Visit&& visit) {
  for (const json_member& member : group.as_object()) {
    const std::string inner = path.empty() ? member.key : path + "." + member.key;
    if (kind_of(member.value) != nullptr) {
      visit(inner, member.value);
    } else if (member.value.is_object()) {
      for_each_leaf(member.value, inner, visit);
    }
  }
}

std::vector<flat_statistic> flatten_group(const json_value& group) {
  std::vector<flat_statistic> rows;
  for_each_leaf(group, "", [&](const std::string& path, const json_value& leaf) {
    flatten_leaf(leaf, path, rows);
  });
  return rows;
}

/// The groups of a written tree. Throws `input_error` if it is of another schema.
const json_value& groups_of(const json_value& tree, const std::string& source_name) {
  const std::string schema = text_at(tree, "schema");
  const json_value* const statistics = tree.find("statistics");
  if (schema != statistics_schema || statistics == nullptr || !statistics->is_object()) {
    throw input_error(json_place(source_name, tree.line(), tree.column()) +
                      ": statistics of schema \"" + schema +
                      "\" cannot be read (allowed: " + std::string(statistics_schema) +
                      "); read them with the version that wrote them, or run again");
  }
  return *statistics;
}

}  // namespace

double average::mean() const noexcept {
  return count_ == 0 ? nothing : static_cast<double>(sum_) / static_cast<double>(count_);
}

histogram::histogram(std::uint64_t bin_width, std::size_t bins)
    : width_(bin_width), shift_(shift_for(bin_width, no_shift)) {
  if (bin_width == 0 || bins > most_bins) {
    throw error("a histogram of " + std::to_string(bins) + " bins of width " +
                std::to_string(bin_width) + " cannot be made (allowed: widths from 1, up to " +
                std::to_string(most_bins) + " bins); choose wider or fewer bins");
  }
  counts_.resize(bins + 1);
}

histogram& histogram::operator+=(const histogram& other) {
  if (width_ != other.width_ || counts_.size() != other.counts_.size()) {
    throw error("histograms of different bins cannot be added up; give both the same shape");
  }
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    counts_[bin] += other.counts_[bin];
  }
  return *this;
}

std::uint64_t histogram::bin_low(std::size_t bin) const noexcept { return product(width_, bin); }

std::uint64_t histogram::count() const noexcept {
  std::uint64_t total = 0;
  for (const std::uint64_t each : counts_) {
    total += each;
  }
  return total;
}

std::uint64_t histogram::percentile(double p) const noexcept {
  const std::uint64_t total = count();
  if (total == 0) {
    return 0;
  }
  const double fraction = p >= 0.0 && p <= 1.0 ? p : (p > 1.0 ? 1.0 : 0.0);
  const double wanted = std::ceil(fraction * static_cast<double>(total));
  const std::uint64_t rank =
      std::min(total, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted)));
  std::uint64_t reached = 0;
  for (std::size_t bin = 0; bin < bins(); ++bin) {
    reached += counts_[bin];
    if (reached >= rank) {
      return bin_high(bin);
    }
  }
  return bin_low(bins());
}

std::uint64_t histogram::bin_high(std::size_t bin) const noexcept {
  const std::uint64_t next = bin_low(bin + 1);
  // Only the bin that reaches the greatest 64-bit value has no next one.
  return next == std::numeric_limits<std::uint64_t>::max() ? next : next - 1;
}

void histogram::reset() noexcept { std::fill(counts_.begin(), counts_.end(), 0); }

// Either a group or the JSON of one statistic.
struct statistics_group::node {
  std::string name;
  std::unique_ptr<statistics_group> group;
  json_value leaf;
};

statistics_group::statistics_group() = default;
statistics_group::~statistics_group() = default;
statistics_group::statistics_group(statistics_group&& other) noexcept = default;
statistics_group& statistics_group::operator=(statistics_group&& other) noexcept = default;

auto statistics_group::find_node(std::string_view name) const noexcept -> node* {
  for (const std::unique_ptr<node>& each : nodes_) {
    if (each->name == name) {
      return each.get();
    }
  }
  return nullptr;
}

statistics_group& statistics_group::group(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string first = name.substr(0, dot);
  if (first.empty()) {
    throw error("group \"" + name + "\" of statistics has an empty name; give it one");
  }
  node* found = find_node(first);
  if (found == nullptr) {
    auto added = std::make_unique<node>();
    added->name = first;
    added->group = std::make_unique<statistics_group>();
    found = added.get();
    nodes_.push_back(std::move(added));
  }
  if (!found->group) {
    throw error("statistic " + first + " cannot be a group too; give one of the two another name");
  }
  return dot == std::string::npos ? *found->group : found->group->group(name.substr(dot + 1));
}

void statistics_group::add(const std::string& name, const counter& value, const std::string& unit,
                           const std::string& description) {
  add_leaf(name, "counter", unit, description).set("value", json_value(value.value()));
}

void statistics_group::add(const std::string& name, const average& value, const std::string& unit,
                           const std::string& description) {
  set_average(add_leaf(name, "average", unit, description), value);
}

void statistics_group::add(const std::string& name, const histogram& value, const std::string& unit,
                           const std::string& description) {
  set_histogram(add_leaf(name, "histogram", unit, description), value);
}

void statistics_group::add(const std::string& name, const time_series& value,
                           const std::string& unit, const std::string& description) {
  set_series(add_leaf(name, series_kind, unit, description), value);
}

void statistics_group::add_value(const std::string& name, json_value value, const std::string& unit,
                                 const std::string& description) {
  add_leaf(name, "value", unit, description).set("value", std::move(value));
}

json_value& statistics_group::add_leaf(const std::string& name, const char* kind,
                                       const std::string& unit, const std::string& description) {
  if (name.empty() || name.find('.') != std::string::npos) {
    throw error("\"" + name + "\" cannot be a statistic's name; use one without dots, in a group");
  }
  if (find_node(name) != nullptr) {
    throw error("statistic " + name + " is added twice to one group; give one another name");
  }
  json_value leaf = json_value::make_object();
  leaf.set("kind", json_value(kind));
  leaf.set("unit", json_value(unit));
  leaf.set("description", json_value(description));
  nodes_.push_back(std::make_unique<node>(node{name, nullptr, std::move(leaf)}));
  return nodes_.back()->leaf;
}

json_value statistics_group::to_json() const {
  json_value object = json_value::make_object();
  for (const std::unique_ptr<node>& each : nodes_) {
    object.set(each->name, each->group ? each->group->to_json() : each->leaf);
  }
  return object;
}

json_value statistics_tree::to_json() const {
  json_value tree = json_value::make_object();
  tree.set("schema", json_value(std::string(statistics_schema)));
  tree.set("statistics", root_.to_json());
  return tree;
}

std::vector<flat_statistic> statistics_tree::flatten() const {
  return flatten_group(root_.to_json());
}

double statistics_tree::find(const std::string& path) const {
  return find_statistic(flatten(), path);
}

std::vector<flat_statistic> flatten_statistics(const json_value& tree,
                                               const std::string& source_name) {
  return flatten_group(groups_of(tree, source_name));
}

std::vector<written_statistic> statistics_of_kind(const json_value& tree, std::string_view kind,
                                                  const std::string& source_name) {
  std::vector<written_statistic> all;
  for_each_leaf(groups_of(tree, source_name), "",
                [&](const std::string& path, const json_value& leaf) {
                  if (text_at(leaf, "kind") == kind) all.push_back({path, leaf});
                });
  return all;
}

double find_statistic(const std::vector<flat_statistic>& statistics, const std::string& path) {
  for (const flat_statistic& each : statistics) {
    if (each.path == path) return each.value;
  }
  std::vector<std::string> paths;
  for (const flat_statistic& each : statistics) paths.push_back(each.path);
  // An average or histogram asked for as a whole: its first figure is the one meant.
  const std::string beginning = path + ".";
  const auto part = std::find_if(paths.begin(), paths.end(), [&](const std::string& each) {
    return each.compare(0, beginning.size(), beginning) == 0;
  });
  if (part != paths.end()) {
    throw error("statistic " + path + " is not one number; ask for " + *part + " or the like");
  }
  throw error("no statistic " + path + "; " +
              did_you_mean(path, paths, "see the results for those there are"));
}

}  // namespace tributary
