import { lazy, Suspense, useMemo } from "react";
import { bytesText } from "../../../src/lib/bytes_text.ts";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));

interface SizesProps<T> {
  readonly what: string;
  readonly rows: readonly T[];
  readonly dayOf: (row: T) => string;
  readonly lines: readonly { readonly title: string; readonly of: (row: T) => number | undefined }[];
}

/** Sizes over time as a picture, with the first and last of each in words. */
export function Sizes<T>({ what, rows, dayOf, lines }: SizesProps<T>) {
  // The picture is drawn anew only for new figures.
  const figures = JSON.stringify([
    rows.map(dayOf),
    lines.map(({ title, of }) => ({ title, values: rows.map((row) => of(row) ?? null) })),
  ]);
  const [days, drawn] = useMemo(
    () => JSON.parse(figures) as [string[], { title: string; values: (number | null)[] }[]],
    [figures],
  );
  const words = drawn.map(({ title, values }) => rangeText(title, values)).join("; ");
  if (!drawn.some(({ values }) => values.some((value) => value !== null)))
    return <p className="dim">No sizes are known yet.</p>;
  // One day makes no line.
  if (days.length < 2) return <p className="dim">{words}</p>;
  return (
    <>
      <p className="dim">{words}</p>
      <Suspense fallback={null}>
        <Chart label={`${what}: ${words}`} days={days} lines={drawn} />
      </Suspense>
    </>
  );
}

function rangeText(title: string, values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return `${title}: unknown`;
  return `${title}: ${bytesText(last)}, ${bytesText(first)} at the beginning`;
}
