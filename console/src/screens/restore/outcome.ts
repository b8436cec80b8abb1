/** What a restore came to, from the lines that the command line writes. */
export interface Outcome {
  /** The Restore that was made. */
  readonly restore: string | undefined;
  /** What can be ended while it goes on: the backup before it, then the restore. */
  readonly running: string | undefined;
  /** A backup of the PVC was made first, so that it can be undone. */
  readonly undoable: boolean;
  /** Bytes, files and time. */
  readonly amounts: readonly string[];
  readonly losses: readonly { readonly count: number; readonly what: string; readonly why: string }[];
  /** Whatever else it says of itself. */
  readonly says: readonly string[];
}

export function outcomeFrom(lines: readonly string[]): Outcome {
  const made = lines.flatMap((line) => /^(restore\/\S+) is made$/.exec(line)?.[1] ?? []).at(-1);
  const first = lines.flatMap((line) => /^(backup\/\S+) is made first$/.exec(line)?.[1] ?? []).at(-1);
  const end = lines.findIndex((line) => /^restore\/\S+ is done/.test(line));
  const after = end < 0 ? [] : lines.slice(end + 1);
  const [, amounts] = /is done: (.*)$/.exec(lines[end] ?? "") ?? [];
  const told = /^\s*not brought back: (\d+) × (\S+): (.*)$/;
  const known = amounts !== undefined && /\d/.test(amounts);
  return {
    restore: made,
    running: made ?? first,
    undoable: first !== undefined,
    amounts: known ? amounts.split(", ") : [],
    losses: after.flatMap((line) => {
      const [, count, what = "", why = ""] = told.exec(line) ?? [];
      return count === undefined ? [] : [{ count: Number(count), what, why }];
    }),
    says: [
      ...(amounts !== undefined && !known ? [amounts] : []),
      ...after.filter((line) => !told.test(line)).map((line) => line.trim()),
    ],
  };
}
