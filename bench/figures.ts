/** One measured number. `limit` is the most it may be, or null where it only informs. */
export interface Figure {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly limit: number | null;
  readonly ok: boolean;
}

export function atMost(figure: string, value: number, unit: string, limit: number): Figure {
  return { figure, value: rounded(value), unit, limit, ok: value <= limit };
}

export function atLeast(figure: string, value: number, unit: string, limit: number): Figure {
  return { figure, value: rounded(value), unit, limit, ok: value >= limit };
}

export function informs(figure: string, value: number, unit: string): Figure {
  return { figure, value: rounded(value), unit, limit: null, ok: true };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** The figures as a table for people, in Markdown. */
export function table(figures: readonly Figure[]): string {
  const header = ["figure", "value", "limit", ""];
  const rows = figures.map((f) => [
    f.figure,
    `${f.value} ${f.unit}`.trim(),
    f.limit === null ? "" : `${f.limit} ${f.unit}`.trim(),
    f.limit === null ? "" : f.ok ? "ok" : "MISSED",
  ]);
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
