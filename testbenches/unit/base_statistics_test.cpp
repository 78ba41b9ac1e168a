// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/sim/statistics.h>

#include <cmath>
#include <limits>
#include <string>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::contains;
using testing::message_of;

constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();

template <class T>
T stored_and_restored(const T& original) {
  T restored;
  restore_state(save_state(original), restored);
  return restored;
}

TEST(counter, counts) {
  counter events;
  ++events;
  events.add(4);
  EXPECT_EQ(events.value(), 5U);
  counter more;
  more.add(2);
  events += more;
  EXPECT_EQ(events.value(), 7U);
  EXPECT_EQ(stored_and_restored(events), events);
  EXPECT_NE(events, more);
  events.reset();
  EXPECT_EQ(events, counter());
}

TEST(average, keeps_exact_figures) {
  average latency;
  EXPECT_TRUE(std::isnan(latency.mean()));
  EXPECT_EQ(latency.min(), 0U);
  EXPECT_EQ(latency.max(), 0U);
  for (const std::uint64_t each : {7U, 3U, 8U}) {
    latency.add(each);
  }
  EXPECT_EQ(latency.count(), 3U);
  EXPECT_EQ(latency.sum(), 18U);
  EXPECT_EQ(latency.min(), 3U);
  EXPECT_EQ(latency.max(), 8U);
  EXPECT_EQ(latency.mean(), 6.0);
  EXPECT_EQ(stored_and_restored(latency), latency);
}

TEST(average, adds_up) {
  average a;
  a.add(10);
  average b;
  b.add(2);
  b.add(30);
  average whole;
  whole.add(10);
  whole.add(2);
  whole.add(30);
  average sum = a;
  sum += b;
  EXPECT_EQ(sum, whole);
  sum += average();
  EXPECT_EQ(sum, whole);
  EXPECT_NE(sum, a);
  sum.reset();
  EXPECT_EQ(sum, average());
}

TEST(histogram, fixed_width) {
  for (const std::uint64_t width : {1U, 4U, 10U}) {
    histogram values(width, 3);
    EXPECT_EQ(values.bins(), 3U);
    values.add(0);
    values.add(width - 1);
    values.add(2 * width);
    values.add(3 * width);
    values.add(greatest);
    EXPECT_EQ(values.bin_count(0), 2U);
    EXPECT_EQ(values.bin_count(1), 0U);
    EXPECT_EQ(values.bin_count(2), 1U);
    EXPECT_EQ(values.overflow(), 2U);
    EXPECT_EQ(values.count(), 5U);
    EXPECT_EQ(values.bin_low(2), 2 * width);
    EXPECT_EQ(values.bin_high(2), 3 * width - 1);
  }
}

TEST(histogram, percentiles_are_exact_at_width_one) {
  histogram values(1, 200);
  EXPECT_EQ(values.percentile(0.5), 0U);
  for (std::uint64_t each = 1; each <= 100; ++each) {
    values.add(each);
  }
  EXPECT_EQ(values.percentile(0.0), 1U);
  EXPECT_EQ(values.percentile(0.01), 1U);
  EXPECT_EQ(values.percentile(0.5), 50U);
  EXPECT_EQ(values.percentile(0.951), 96U);
  EXPECT_EQ(values.percentile(1.0), 100U);
  EXPECT_EQ(values.percentile(2.0), 100U);
  EXPECT_EQ(values.percentile(-1.0), 1U);
}

TEST(histogram, percentile_beyond_the_bins_is_their_end) {
  histogram values(10, 2);
  values.add(5);
  values.add(1000);
  EXPECT_EQ(values.percentile(0.5), 9U);
  EXPECT_EQ(values.percentile(0.9), 20U);
  histogram none;
  none.add(7);
  EXPECT_EQ(none.percentile(0.5), 0U);
}

TEST(histogram, adds_up_and_resets) {
  histogram a(2, 4);
  a.add(1);
  histogram b(2, 4);
  b.add(1);
  b.add(100);
  a += b;
  EXPECT_EQ(a.bin_count(0), 2U);
  EXPECT_EQ(a.overflow(), 1U);
  EXPECT_EQ(stored_and_restored(a), a);
  EXPECT_NE(a, b);
  a.reset();
  EXPECT_EQ(a, histogram(2, 4));
}

TEST(histogram, restored_goes_on_counting_in_the_same_bins) {
  histogram restored = stored_and_restored(histogram(3, 8));
  restored.add(9);
  EXPECT_EQ(restored.bin_count(3), 1U);
}

TEST(histogram, impossible_shapes_are_refused) {
  EXPECT_TRUE(contains(message_of([] { histogram(0, 4); }), "allowed: widths from 1"));
  EXPECT_TRUE(
      contains(message_of([] { histogram(1, std::size_t{1} << 40U); }), "choose wider or fewer"));
  histogram a(1, 4);
  EXPECT_THROW(a += histogram(2, 4), error);
  EXPECT_THROW(a += histogram(1, 5), error);
}

statistics_tree example() {
  counter arrivals;
  arrivals.add(12);
  average latency;
  latency.add(20);
  latency.add(30);
  histogram waits(1, 2);
  waits.add(1);
  waits.add(1);
  waits.add(5);
  statistics_tree tree;
  tree.group("network").group("stage.3").add("arrivals", arrivals, "requests", "Into stage 3.");
  tree.group("network").add("combining_rate", 0.5, "1", "Combined of all arrivals.");
  tree.group("processor").add("latency", latency, "cycles", "From offer to delivery.");
  tree.group("processor").add("waits", waits, "cycles", "Before the first switch.");
  tree.root().add("cycles", 100U, "cycles", "Simulated after the warm-up.");
  return tree;
}

TEST(statistics_tree, finds_every_figure) {
  const statistics_tree tree = example();
  EXPECT_EQ(tree.find("network.stage.3.arrivals"), 12);
  EXPECT_EQ(tree.find("network.combining_rate"), 0.5);
  EXPECT_EQ(tree.find("processor.latency.mean"), 25);
  EXPECT_EQ(tree.find("processor.latency.count"), 2);
  EXPECT_EQ(tree.find("processor.latency.sum"), 50);
  EXPECT_EQ(tree.find("processor.latency.min"), 20);
  EXPECT_EQ(tree.find("processor.latency.max"), 30);
  EXPECT_EQ(tree.find("processor.waits.count"), 3);
  EXPECT_EQ(tree.find("processor.waits.p50"), 1);
  EXPECT_EQ(tree.find("processor.waits.p99"), 2);
  EXPECT_EQ(tree.find("cycles"), 100);
}

TEST(statistics_tree, flattens_in_order_with_units) {
  const auto rows = example().flatten();
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0].path, "network.stage.3.arrivals");
  EXPECT_EQ(rows[0].unit, "requests");
  EXPECT_EQ(rows[2].path, "processor.latency.mean");
  EXPECT_EQ(rows[2].unit, "cycles");
  EXPECT_EQ(rows[3].unit, "samples");
  EXPECT_EQ(rows.back().path, "cycles");
}

TEST(statistics_tree, a_missing_path_names_the_nearest) {
  const statistics_tree tree = example();
  EXPECT_TRUE(testing::names(message_of([&] { tree.find("network.combining_rat"); }),
                             {"network.combining_rat", "network.combining_rate"}));
  EXPECT_TRUE(testing::names(message_of([&] { tree.find("processor.latency"); }),
                             {"processor.latency", "processor.latency.mean"}));
  EXPECT_TRUE(testing::names(message_of([&] { tree.find("frequency"); }), {"frequency"}));
}

TEST(statistics_tree, writes_its_schema_and_everything_about_a_statistic) {
  const std::string text = example().to_json_text();
  const json_value tree = json_document::from_text(text, "results.json").root();
  EXPECT_EQ(tree.find("schema")->as_string(), "tributary.statistics/1");
  const json_value& statistics = *tree.find("statistics");
  const json_value& arrivals =
      *statistics.find("network")->find("stage")->find("3")->find("arrivals");
  EXPECT_EQ(arrivals.to_text(0),
            R"({"kind":"counter","unit":"requests","description":"Into stage 3.","value":12})");
  EXPECT_EQ(statistics.find("processor")->find("latency")->to_text(0),
            R"({"kind":"average","unit":"cycles","description":"From offer to delivery.",)"
            R"("mean":25.0,"count":2,"sum":50,"min":20,"max":30})");
  EXPECT_EQ(statistics.find("processor")->find("waits")->to_text(0),
            R"({"kind":"histogram","unit":"cycles","description":"Before the first switch.",)"
            R"("count":3,"p50":1,"p95":2,"p99":2,"scale":"fixed_width","bin_width":1,)"
            R"("overflow":1,"bins":[0,2]})");
}

TEST(statistics_tree, comes_back_from_its_text) {
  const statistics_tree tree = example();
  const json_value read = json_document::from_text(tree.to_json_text(), "results.json").root();
  const auto rows = flatten_statistics(read, "results.json");
  const auto original = tree.flatten();
  ASSERT_EQ(rows.size(), original.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].path, original[i].path);
    EXPECT_EQ(rows[i].unit, original[i].unit);
    EXPECT_EQ(rows[i].value, original[i].value);
  }
  EXPECT_EQ(find_statistic(rows, "cycles"), 100);
}

TEST(statistics_tree, a_series_is_written_whole_and_is_no_number_among_others) {
  statistics_tree tree = example();
  const std::size_t numbers = tree.flatten().size();
  tree.group("network").add("queued", time_series{1, 25, 10, {0.5, 0, 2}}, "requests", "Waiting.");
  const json_value read = json_document::from_text(tree.to_json_text(), "results.json").root();
  EXPECT_EQ(read.find("statistics")->find("network")->find("queued")->to_text(0),
            R"({"kind":"series","unit":"requests","description":"Waiting.","first_cycle":1,)"
            R"("last_cycle":25,"window":10,"values":[0.5,0.0,2.0]})");
  EXPECT_EQ(tree.flatten().size(), numbers);
  EXPECT_EQ(flatten_statistics(read, "results.json").size(), numbers);
  const auto series = statistics_of_kind(read, "series", "results.json");
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].path, "network.queued");
  EXPECT_EQ(series[0].leaf.find("window")->as_unsigned(), 10U);
  EXPECT_TRUE(statistics_of_kind(example().to_json(), "series", "results.json").empty());
}

TEST(statistics_tree, another_schema_is_refused) {
  for (const char* text : {R"({"schema": "tributary.statistics/2", "statistics": {}})", "{}", "7",
                           R"({"schema": "tributary.statistics/1", "statistics": 1})"}) {
    const json_value tree = json_document::from_text(text, "old.json").root();
    const std::string message = message_of([&] { flatten_statistics(tree, "old.json"); });
    EXPECT_TRUE(contains(message, "old.json, line 1, column 1"));
    EXPECT_TRUE(contains(message, "allowed: tributary.statistics/1"));
  }
}

TEST(statistics_tree, nothing_measured_is_null_and_not_a_number) {
  statistics_tree tree;
  tree.root().add("latency", average(), "cycles", "Of no requests.");
  tree.root().add("ratio", std::nan(""), "1", "Of nothing.");
  tree.root().add("waits", histogram(1, 1), "cycles", "Of no requests.");
  EXPECT_TRUE(std::isnan(tree.find("latency.mean")));
  EXPECT_TRUE(std::isnan(tree.find("latency.min")));
  EXPECT_TRUE(std::isnan(tree.find("ratio")));
  EXPECT_TRUE(std::isnan(tree.find("waits.p50")));
  EXPECT_EQ(tree.find("latency.count"), 0);
  EXPECT_TRUE(contains(tree.to_json_text(), "\"mean\": null"));
}

TEST(statistics_tree, names_that_clash_are_refused) {
  statistics_tree tree = example();
  EXPECT_THROW(tree.root().add("cycles", 1, "cycles", ""), error);
  EXPECT_THROW(tree.root().add("network", 1, "1", ""), error);
  EXPECT_THROW(tree.group("cycles"), error);
  EXPECT_THROW(tree.group("network..x"), error);
  EXPECT_THROW(tree.group(""), error);
  EXPECT_THROW(tree.root().add("", 1, "1", ""), error);
  EXPECT_THROW(tree.root().add("a.b", 1, "1", ""), error);
}

TEST(statistics_tree, groups_stay_where_they_are) {
  statistics_tree tree;
  statistics_group& first = tree.group("a");
  for (int i = 0; i < 100; ++i) {
    tree.group("g" + std::to_string(i));
  }
  EXPECT_EQ(&tree.group("a"), &first);
  statistics_tree moved = std::move(tree);
  EXPECT_EQ(&moved.group("a"), &first);
}

}  // namespace
}  // namespace tributary
