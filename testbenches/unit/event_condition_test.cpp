// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/trace/event_condition.h>

namespace tributary {
namespace {

constexpr event_detail number_detail{"number", 0, 8};
constexpr event_detail named_detail{"named", 8, 4};
constexpr event_detail late_detail{"late", 12, 4};

event_kind kind_of(const char* name, std::vector<stay_change> changes = {}) {
  event_kind kind;
  kind.name = name;
  for (std::size_t i = 0; i < changes.size(); ++i) kind.changes.at(i) = changes[i];
  return kind;
}
event_kind full_kind() {
  event_kind kind = kind_of("full");
  kind.has_address = kind.has_value = true;
  kind.details = {&number_detail, &named_detail, &late_detail};
  return kind;
}

const event_kind asked = kind_of("asked", {{"waiting", true}, {"request", true}});
const event_kind answered = kind_of("answered", {{"request", false}});
const event_kind full = full_kind();

trace_catalog small_catalog() {
  trace_catalog catalog("machine", "pe");
  catalog.add({"stage.0", "unit", 4, {{"in", {}}, {"out", {}}}});
  catalog.origins = 4;
  catalog.kinds = {&asked, &answered, &full};
  catalog.lifetime = "request";
  catalog.set_names(named_detail, {"first", "second"});
  catalog.set_names(late_detail, {});
  return catalog;
}

trace_event event_of(const event_kind& kind, cycle_t cycle, trace_identity identity = {}) {
  trace_event event;
  event.kind = &kind;
  event.cycle = event.last = cycle;
  event.identity = identity;
  event.details = ~std::uint64_t{0};
  return event;
}

bool holds(const std::string& text, const trace_event& event,
           const trace_catalog& catalog = small_catalog()) {
  return event_condition("--option", text, catalog).holds(event);
}

TEST(event_condition, numbers_are_compared) {
  const trace_event event = event_of(full, 100);
  for (const char* true_text : {"cycle = 100", "cycle == 0x64", "cycle>99", "cycle >= 100",
                                "cycle <= 100", "cycle < 101", "cycle != 99", "last = 100"}) {
    EXPECT_TRUE(holds(true_text, event)) << true_text;
  }
  for (const char* false_text : {"cycle = 99", "cycle > 100", "cycle >= 101", "cycle <= 99",
                                 "cycle < 100", "cycle != 100", "last > 100"}) {
    EXPECT_FALSE(holds(false_text, event)) << false_text;
  }
}

TEST(event_condition, all_comparisons_must_hold) {
  const trace_event event = event_of(full, 100);
  EXPECT_TRUE(holds("cycle > 1 and event = full and last = 100", event));
  EXPECT_FALSE(holds("cycle > 1 and event = asked and last = 100", event));
}

TEST(event_condition, names_and_identities_are_equal_or_not) {
  trace_event event = event_of(full, 1, trace_identity::reference(3, 17));
  event.track = static_cast<track_id>(3);  // stage.0.unit.1.out
  EXPECT_TRUE(holds("event = full", event));
  EXPECT_FALSE(holds("event != full", event));
  EXPECT_TRUE(holds("track = stage.0.unit.1", event));
  EXPECT_TRUE(holds("track = stage.0.unit.0-2.out", event));
  EXPECT_FALSE(holds("track = stage.0.unit.1.in", event));
  EXPECT_TRUE(holds("track != stage.0.unit.1.in", event));
  EXPECT_TRUE(holds("identity = 3.17", event));
  EXPECT_FALSE(holds("identity = 3.m17", event));
  EXPECT_FALSE(holds("parent = 3.17", event));
  event.parent = trace_identity::message(2, 5);
  EXPECT_TRUE(holds("parent = 2.m5", event));
}

TEST(event_condition, a_field_that_is_not_there_fulfils_nothing) {
  const trace_event bare = event_of(asked, 1);
  for (const char* text : {"address = 0", "address != 1", "value < 9", "number = 1", "number != 1",
                           "identity != 3.17", "parent != 3.17", "named != first", "latency < 9"}) {
    EXPECT_FALSE(holds(text, bare)) << text;
  }
  const trace_event absent = event_of(full, 1);  // all bits of its details are set
  EXPECT_TRUE(holds("address = 0 and value = 0", absent));
  EXPECT_FALSE(holds("number > 0", absent));
}

TEST(event_condition, details_by_number_or_name) {
  trace_catalog catalog = small_catalog();
  trace_event event = event_of(full, 1);
  event.details = number_detail.put(7) | named_detail.put(1) | late_detail.put(0);
  EXPECT_TRUE(holds("number = 7", event, catalog));
  EXPECT_TRUE(holds("named = second", event, catalog));
  EXPECT_TRUE(holds("named != first", event, catalog));
  EXPECT_FALSE(holds("named = first", event, catalog));
  // Of a detail without names more come during the run.
  event_condition late("--option", "late = coming", catalog);
  EXPECT_FALSE(late.holds(event));
  catalog.value_of(late_detail, "coming");
  EXPECT_TRUE(late.holds(event));
}

TEST(event_condition, latency_counts_from_where_the_reference_was_asked_for) {
  const trace_catalog catalog = small_catalog();
  event_condition slow("--option", "latency >= 10", catalog);
  const trace_identity one = trace_identity::reference(0, 1);
  const trace_identity other = trace_identity::reference(0, 2);
  EXPECT_FALSE(slow.holds(event_of(asked, 5, one)));
  EXPECT_FALSE(slow.holds(event_of(asked, 7, other)));
  EXPECT_FALSE(slow.holds(event_of(full, 14, one)));
  EXPECT_TRUE(slow.holds(event_of(full, 15, one)));
  EXPECT_FALSE(slow.holds(event_of(answered, 16, other)));
  EXPECT_TRUE(slow.holds(event_of(answered, 16, one)));
  EXPECT_FALSE(slow.holds(event_of(full, 100, one))) << "it was answered";
}

TEST(event_condition, mistakes_are_refused_at_their_place) {
  const struct {
    const char* text;
    std::vector<std::string> parts;
  } mistakes[] = {{"", {"character 1: the name of a field is missing"}},
                  {"cycle", {"character 6: a comparison", "is missing"}},
                  {"cycle >", {"character 8: a value is missing"}},
                  {"cycle > 9 and", {"character 14: the name of a field is missing"}},
                  {"cycle > 9 or last > 9", {"character 11", "\"or\" is not \"and\""}},
                  {"cycle => 9", {"character 7", "\"=>\" is no comparison", "=, !=, <, <=, >, >="}},
                  {"cycle > nine", {"character 9", "\"nine\" is not a whole number"}},
                  {"cycle > 18446744073709551616", {"is not a whole number"}},
                  {"cycle > -1", {"is not a whole number"}},
                  {"cycle > 0x", {"is not a whole number"}},
                  {"cycl > 1",
                   {"character 1", "\"cycl\" is no field", "cycle, last, track, event", "latency",
                    "number, named, late"}},
                  {"event = ful", {"character 9", "no event \"ful\"", "answered, asked, full"}},
                  {"event > full", {"character 7", "\">\" compares numbers"}},
                  {"named = third", {"no named \"third\"", "first, second"}},
                  {"track = stage.1", {"character 9", "stage.N.unit.N.in"}},
                  {"identity = 17", {"\"17\" is not an identity", "3.m17"}},
                  {"identity = 3.m", {"is not an identity"}},
                  {"identity = 99999999.1", {"is not an identity"}}};
  for (const auto& [text, parts] : mistakes) {
    try {
      event_condition("--option", text, small_catalog());
      ADD_FAILURE() << text << " was taken";
    } catch (const configuration_error& problem) {
      const std::string what = problem.what();
      EXPECT_EQ(what.rfind("--option: ", 0), 0U) << what;
      for (const std::string& part : parts) {
        EXPECT_NE(what.find(part), std::string::npos) << what << "\nshould say: " << part;
      }
    }
  }
}

TEST(event_condition, a_machine_without_references_has_no_latency) {
  trace_catalog catalog = small_catalog();
  catalog.lifetime.clear();
  EXPECT_THROW(event_condition("--option", "latency > 1", catalog), configuration_error);
}

}  // namespace
}  // namespace tributary
