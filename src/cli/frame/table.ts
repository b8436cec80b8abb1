import type { Paint, Tone } from "./terminal.ts";

/** One cell: its text, and what it means where that is worth a colour. */
export type Cell = string | { readonly text: string; readonly tone?: Tone };

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Cell;
  /** Shown with `-o wide` alone. */
  readonly wide?: boolean;
}

const GAP = "   ";

/** Lines of a table with a head, each column as wide as it must be. */
export function table<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: { readonly paint: Paint; readonly wide?: boolean },
): readonly string[] {
  const shown = columns.filter(({ wide }) => !wide || options.wide);
  const head: readonly Cell[] = shown.map(({ title }) => ({ text: title, tone: "dim" }));
  const lines = [head, ...rows.map((row) => shown.map(({ cell }) => cell(row)))];
  const widths = shown.map((_, index) => Math.max(...lines.map((line) => textOf(line[index]).length)));
  return lines.map((line) =>
    line
      .map((cell, index) => {
        const text = textOf(cell);
        const space = index === line.length - 1 ? "" : " ".repeat((widths[index] ?? 0) - text.length);
        return options.paint(toneOf(cell), text) + space;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function textOf(cell: Cell | undefined): string {
  const text = typeof cell === "string" ? cell : (cell?.text ?? "");
  return text.replace(/\s*\n\s*/g, " ");
}

function toneOf(cell: Cell): Tone | undefined {
  return typeof cell === "string" ? undefined : cell.tone;
}
