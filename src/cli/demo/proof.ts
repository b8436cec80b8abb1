import { isRecord } from "../../lib/json.ts";

/** One entry of a tree, with everything about it that a restore has to bring back. */
export type Described = Readonly<Record<string, unknown>> & { readonly path: string };

/** What a comparison of two trees found. */
export interface Proof {
  readonly entries: number;
  readonly bytes: number;
  /** To how many different users and groups the entries belong. */
  readonly owners: number;
  /** One sentence each; empty when the trees are identical. */
  readonly differences: readonly string[];
}

/** Reads the lines of `holdfast-fidelity describe`. Throws on what is not one of them. */
export function parseDescription(text: string): readonly Described[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as unknown)
    .filter((value): value is Described => isRecord(value) && typeof value.path === "string");
}

/** Compares two trees entry by entry, in everything that is known about each. */
export function compareTrees(before: readonly Described[], after: readonly Described[]): Proof {
  const left = new Map(before.map((entry) => [entry.path, entry]));
  const right = new Map(after.map((entry) => [entry.path, entry]));
  const differences = [
    ...before.filter(({ path }) => !right.has(path)).map(({ path }) => `${shown(path)} is missing`),
    ...after.filter(({ path }) => !left.has(path)).map(({ path }) => `${shown(path)} was not there before`),
    ...before.flatMap((entry) => {
      const found = right.get(entry.path);
      return found ? differencesOf(entry, found) : [];
    }),
  ];
  return {
    entries: before.length,
    bytes: before.reduce((sum, entry) => sum + sizeOf(entry), 0),
    owners: new Set(before.map(({ owner }) => String(owner))).size,
    differences,
  };
}

function differencesOf(before: Described, after: Described): readonly string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => {
    const [was, is] = [before[field], after[field]].map((value) => JSON.stringify(value) ?? "nothing");
    return was === is ? [] : [`${shown(before.path)}: ${field} was ${was} and is ${is}`];
  });
}

function sizeOf({ size, sameAs }: Described): number {
  return typeof size === "number" && sameAs === undefined ? size : 0;
}

function shown(path: string): string {
  return path === "" ? "the top folder" : JSON.stringify(path);
}
