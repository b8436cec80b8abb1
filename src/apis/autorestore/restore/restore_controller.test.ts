import { expect, test } from "vitest";
import { ClaimTurns } from "../../../core/work/claim_turns.ts";
import { keyOf } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { AutorestorePorts } from "../ports.ts";
import { sampleRestore } from "../testing/samples.ts";
import { restorePorts } from "./restore_controller.ts";

test.each([
  ["holds a repository of whichever API", { data: "Repository home/nas" }, "HoldsRepository"],
  ["holds none", { store: "Repository home/nas" }, undefined],
])("a ResticRestore into a PVC that %s", (_, stores, reason) => {
  const restore = sampleRestore({ backupName: "monday" });
  const nothing = { get: () => undefined, indexed: () => [] };
  const ports = {
    caches: { restores: { ...nothing, get: () => restore }, backups: nothing, claims: nothing },
    turns: new ClaimTurns(new VirtualClock()),
    storesIn: () => new Map(Object.entries(stores)),
  } as unknown as AutorestorePorts;
  const known = restorePorts(ports).restore(keyOf(restore));
  expect(known?.targetProblem?.()?.reason).toBe(reason);
});
