import type { ShownObject } from "./shown_object.ts";

/** Whether another run, of those that do the same, has succeeded since one that failed was asked for. */
export function succeededSince(failed: ShownObject, { metadata, status }: ShownObject): boolean {
  const { creationTimestamp: at } = failed.metadata;
  return SUCCEEDED.includes(status?.phase ?? "") && Date.parse(metadata.creationTimestamp) >= Date.parse(at);
}

const SUCCEEDED = ["Completed", "Succeeded"];

/** The runs that have failed, and that nothing makes up for. `sameOf`: alike for those that do the same. */
export function failedForGood<T extends ShownObject>(
  runs: readonly T[],
  sameOf: (run: T) => string,
): readonly T[] {
  const last = new Map<string, T>();
  for (const run of runs) {
    const before = last.get(sameOf(run));
    if (SUCCEEDED.includes(run.status?.phase ?? "") && (!before || succeededSince(before, run)))
      last.set(sameOf(run), run);
  }
  return runs.filter((run) => {
    const after = last.get(sameOf(run));
    return run.status?.phase === "Failed" && !(after && succeededSince(run, after));
  });
}
