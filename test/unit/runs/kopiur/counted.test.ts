import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../../src/kinds/kopiur/annotations.ts";
import { KopiurWorld, NAMESPACE } from "./kopiur_world.ts";

test("each mover is counted once, however it ended, and so are snapshots that stay behind", {
  timeout: 60_000,
}, async () => {
  const counted = new Map<string, number>();
  const count = (what: string, by = 1) => void counted.set(what, (counted.get(what) ?? 0) + by);
  const tally = {
    runEnded: ({ operation, result }: { readonly operation: string; readonly result: string }) =>
      count(`${operation} ${result}`),
    snapshotsOrphaned: (namespace: string, by: number) => count(`orphaned in ${namespace}`, by),
    snapshotDeletionFailed: (namespace: string) => count(`not deleted in ${namespace}`),
  };
  await using world = await new KopiurWorld({ tally, fates: [{ type: "fails", class: "Locked" }] }).start();
  for (const name of ["kept", "deleted"]) await world.backup(name);
  await world.until("both have succeeded", async () =>
    (await world.backups()).every(({ status }) => status?.phase === "Succeeded"),
  );
  await world.annotate("kept", { [ANNOTATIONS.skipSnapshotCleanup]: "true" });
  for (const name of ["kept", "deleted"]) await world.delete(name);
  await world.until("both are gone", async () => (await world.backups()).length === 0, 100);
  await world.turns(5);
  expect(Object.fromEntries(counted)).toEqual({
    "init succeeded": 1,
    "snapshot failed": 1,
    // What the failed one left in the repository was looked for.
    "catalog succeeded": 1,
    "snapshot succeeded": 2,
    "delete succeeded": 1,
    [`orphaned in ${NAMESPACE}`]: 1,
  });
});
