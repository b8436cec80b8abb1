import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { bytesText } from "../../../src/lib/bytes_text.ts";
import "uplot/dist/uPlot.min.css";

interface ChartProps {
  /** What it shows, for who does not see it. */
  readonly label: string;
  readonly days: readonly string[];
  readonly lines: readonly { readonly title: string; readonly values: readonly (number | null)[] }[];
}

const HEIGHT = 180;
const COLOURS = ["--accent", "--busy"];

/** Amounts of bytes over days. */
export function Chart({ label, days, lines }: ChartProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = ref.current;
    if (!place) return;
    const make = () => {
      const style = getComputedStyle(place);
      const colour = (name: string) => style.getPropertyValue(name);
      const axis = {
        stroke: colour("--dim"),
        grid: { stroke: colour("--line") },
        ticks: { stroke: colour("--line") },
      };
      const options: uPlot.Options = {
        width: place.clientWidth,
        height: HEIGHT,
        scales: { y: { range: (_, __, most) => [0, most * 1.1 || 1] } },
        axes: [axis, { ...axis, size: 80, values: (_, values) => values.map((value) => bytesText(value)) }],
        series: [
          {},
          ...lines.map(({ title }, index) => ({
            label: title,
            stroke: colour(COLOURS[index] ?? "--dim"),
            width: 2,
            points: { show: false },
            value: (_: uPlot, value: number | null) => (value === null ? "–" : bytesText(value)),
          })),
        ],
      };
      const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
      return new uPlot(options, [times, ...lines.map(({ values }) => [...values])], place);
    };
    let plot = make();
    const sized = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
    sized.observe(place);
    // Its colours are drawn, and so drawn again when the theme changes.
    const themed = new MutationObserver(() => {
      plot.destroy();
      plot = make();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      sized.disconnect();
      themed.disconnect();
      plot.destroy();
    };
  }, [days, lines]);
  return <div ref={ref} className="chart" role="img" aria-label={label} />;
}
