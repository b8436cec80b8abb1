/** One line of a plan, with what it is about. */
export interface PlanLine {
  readonly about: About;
  readonly text: string;
  /** What a person should not overlook. */
  readonly loud: boolean;
}

export type About =
  | "from"
  | "left out"
  | "to"
  | "part"
  | "files"
  | "first"
  | "last backup"
  | "workloads"
  | "note"
  | "warning"
  | "besides";

export interface Plan {
  readonly lines: readonly PlanLine[];
  /** The PVC that is written in place, by name. */
  readonly into: string | undefined;
  /** That PVC, where more of its files would be deleted than somebody may mean: it is named once more. */
  readonly confirmDeletion: string | undefined;
  /** Pods have to go before anything is written, and nothing was said to scale them down. */
  readonly waitsForPods: boolean;
}

/** The words with which the command line begins its lines. */
const WORDS: Readonly<Record<string, About>> = {
  from: "from",
  not: "left out",
  to: "to",
  path: "part",
  files: "files",
  first: "first",
  last: "last backup",
  pods: "workloads",
  NOTE: "note",
  WARNING: "warning",
};
const LOUD = /\b(NO BACKUP|NO backup|OVERWRITTEN|DELETED|NOT THERE|INCOMPLETE)\b/;

/** A plan, from the lines that `restore --dry-run` writes, and what it says besides of how it is confirmed. */
export function planFrom(written: readonly string[], confirmDeletion?: string): Plan {
  const lines = written.filter((line) => line.startsWith("  ")).map(lineOf);
  const to = lines.find(({ about }) => about === "to")?.text ?? "";
  const [, into] = /^the claim [^/\s]+\/([^,\s]+),/.exec(to) ?? [];
  const pods = lines.find(({ about }) => about === "workloads");
  return {
    lines,
    into,
    confirmDeletion,
    waitsForPods: pods !== undefined && !pods.text.includes("scaled down"),
  };
}

function lineOf(line: string): PlanLine {
  const text = line.trim();
  const [, word = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(text) ?? [];
  const about = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (about === undefined) return { about: "besides", text, loud: LOUD.test(text) };
  const loud = about === "warning" || about === "note" || LOUD.test(text);
  // "files that are there …" and "first a backup …" are sentences with their word.
  return { about, text: about === "files" ? text : rest, loud };
}

/** What would be gone for good: what is overwritten or deleted, what no backup holds, what the snapshot lacks. */
export function lostFor(plan: Plan): readonly string[] {
  return plan.lines
    .filter(({ about, text, loud }) => (loud && about !== "note") || (about === "last backup" && text !== ""))
    .filter(({ about }) => about !== "warning")
    .map(({ text }) => text);
}
