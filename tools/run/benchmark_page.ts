const HEAD = `# Benchmarks

The last run of each part with \`npm run bench -- --write\`, or with names of parts in between. Ratios compare two programs that ran side by side in that run.
`;

/** What one run has measured. */
export interface Measured {
  /** The table of each part that was run, by its name. */
  readonly tables: ReadonlyMap<string, string>;
  readonly date: string;
  readonly machine: string;
}

/**
 * The page of benchmarks after a run: parts that were run say when and where, the others stay word for word. Parts
 * come in the order of `names`; one that is not among them is no benchmark any more, and goes.
 */
export function benchmarkPage(before: string, names: readonly string[], run: Measured): string {
  const kept = partsOf(before);
  const parts = names.flatMap((name) => {
    const table = run.tables.get(name);
    const part = table === undefined ? kept.get(name) : `On ${run.date}: ${run.machine}.\n\n${table}`;
    return part === undefined ? [] : [`## ${name}\n\n${part}\n`];
  });
  return [HEAD, ...parts].join("\n");
}

/** What stands below each heading of the page, by its name. */
function partsOf(page: string): Map<string, string> {
  const [, ...parts] = page.split(/^## /m);
  return new Map(
    parts.map((part) => {
      const [name = "", ...lines] = part.split("\n");
      return [name.trim(), lines.join("\n").trim()];
    }),
  );
}
