// SPDX-License-Identifier: Apache-2.0
#include "size_figure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include <tributary/sim/error.h>

#include "spread.h"

namespace tributary::benchmarks {
namespace {

// Pixels. A panel is its plot with room for labels to the left and below.
constexpr double panel_width = 300, panel_height = 270;
constexpr double left = 58, top = 34, plot_width = 226, plot_height = 180;

struct point {
  double elements;
  spread cost;
};

struct panel {
  std::string title;  ///< with the unit
  bool logarithmic;
  std::vector<point> points;
};

panel panel_of(const std::vector<size_cost>& costs, const std::string& title, bool logarithmic,
               std::vector<double> size_cost::*figure, double (*scale)(const size_cost&)) {
  panel made{title, logarithmic, {}};
  for (const size_cost& each : costs) {
    if (each.traffic != "uniform") continue;
    std::vector<double> values = each.*figure;
    for (double& value : values) value *= scale(each);
    made.points.push_back({static_cast<double>(each.elements), spread_of(values)});
  }
  if (made.points.empty()) throw error("no size was measured");
  return made;
}

/// A range with round ends, and where it has marks.
struct axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> marks;

  /// From 0 to 1 along the axis.
  double place(double value) const {
    if (!logarithmic) return (value - low) / (high - low);
    return std::log(value / low) / std::log(high / low);
  }
};

/// The least of 1, 2 and 5 times a power of ten that is not below.
double round_step(double least) {
  const double ten = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * ten >= least) return times * ten;
  }
  return 10 * ten;
}

axis value_axis(const panel& shown) {
  double least = shown.points.front().cost.least;
  double greatest = least;
  for (const point& each : shown.points) {
    least = std::min(least, each.cost.least);
    greatest = std::max(greatest, each.cost.greatest);
  }
  axis made;
  made.logarithmic = shown.logarithmic;
  if (shown.logarithmic) {
    made.low = std::pow(10, std::floor(std::log10(least)));
    made.high = made.low;
    made.marks = {made.low};
    while (made.high < greatest || made.marks.size() < 2) {
      made.marks.push_back(made.high *= 10);
    }
  } else {
    const double step = round_step(greatest / 5);
    made.high = step * std::ceil(greatest / step);
    for (int i = 0; i * step <= made.high * 1.001; ++i) made.marks.push_back(i * step);
  }
  return made;
}

axis size_axis(const panel& shown) {
  axis made;
  made.logarithmic = true;
  for (const point& each : shown.points) made.marks.push_back(each.elements);
  // Half a step of 4 on either side, so that no mark lies on the frame.
  made.low = made.marks.front() / 2;
  made.high = made.marks.back() * 2;
  return made;
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<path class='{}' d='M{:.1f} {:.1f}L{:.1f} {:.1f}'/>\n", style, x1, y1, x2,
                     y2);
}

std::string text(double x, double y, const char* style, const std::string& what) {
  return fmt::format("<text class='{}' x='{:.1f}' y='{:.1f}'>{}</text>\n", style, x, y, what);
}

std::string drawn(const panel& shown, double offset) {
  const axis sizes = size_axis(shown);
  const axis values = value_axis(shown);
  const auto x = [&](double size) { return offset + left + plot_width * sizes.place(size); };
  const auto y = [&](double value) { return top + plot_height * (1 - values.place(value)); };
  const double bottom = top + plot_height;

  std::string svg = text(offset + left, top - 14, "title", shown.title);
  for (const double mark : values.marks) {
    svg += line(offset + left, y(mark), offset + left + plot_width, y(mark), "grid");
    svg += text(offset + left - 6, y(mark) + 4, "value", fmt::format("{:g}", mark));
  }
  for (const double mark : sizes.marks) {
    svg += line(x(mark), bottom, x(mark), bottom + 4, "axis");
    svg += text(x(mark), bottom + 17, "size", fmt::format("{:.0f}", mark));
  }
  svg += line(offset + left, bottom, offset + left + plot_width, bottom, "axis");
  svg += text(offset + left + plot_width / 2, bottom + 36, "size", "processing elements");

  std::string curve;
  for (const point& each : shown.points) {
    curve += fmt::format("{}{:.1f} {:.1f}", curve.empty() ? "M" : "L", x(each.elements),
                         y(each.cost.median));
  }
  svg += fmt::format("<path class='curve' d='{}'/>\n", curve);
  for (const point& each : shown.points) {
    svg += line(x(each.elements), y(each.cost.least), x(each.elements), y(each.cost.greatest),
                "range");
    svg += fmt::format("<circle class='mark' cx='{:.1f}' cy='{:.1f}' r='3.5'/>\n", x(each.elements),
                       y(each.cost.median));
  }
  return svg;
}

double per_switch_cycle(const size_cost& cost) { return 1e9 / cost.switch_cycles(); }
double per_1000_cycles(const size_cost& cost) { return 1000 / static_cast<double>(cost.cycles); }
double as_it_is(const size_cost&) { return 1; }

}  // namespace

std::string size_figure(const std::vector<size_cost>& costs) {
  const std::vector<panel> panels{
      panel_of(costs, "CPU time per switch-cycle, ns", false, &size_cost::seconds,
               per_switch_cycle),
      panel_of(costs, "CPU time per 1,000 cycles, s", true, &size_cost::seconds, per_1000_cycles),
      panel_of(costs, "Memory at most, MB", true, &size_cost::megabytes, as_it_is)};
  const double width = panel_width * static_cast<double>(panels.size());
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' "
      "height='{1:.0f}' role='img'>\n"
      "<title>Cost of a simulation against the number of processing elements</title>\n"
      "<style>text{{font:12px sans-serif;fill:#222}}.title{{font-weight:bold}}"
      ".value{{text-anchor:end}}.size{{text-anchor:middle}}path{{fill:none}}"
      ".grid{{stroke:#ddd}}.axis{{stroke:#222}}.curve{{stroke:#0072b2;stroke-width:2}}"
      ".range{{stroke:#0072b2;stroke-width:5;opacity:.35}}.mark{{fill:#0072b2}}</style>\n"
      "<rect width='100%' height='100%' fill='#fff'/>\n",
      width, panel_height);
  double offset = 0;
  for (const panel& each : panels) {
    svg += drawn(each, offset);
    offset += panel_width;
  }
  return svg + "</svg>\n";
}

}  // namespace tributary::benchmarks
