import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_STATUS } from "../../../kube/write/status.ts";
import { ok } from "../../../lib/result.ts";
import { fitted } from "../../reconcile/fitted_status.ts";
import { AT, NOW, taskPlan } from "../../testing/samples.ts";
import { primeMeta } from "../../volumes/populator/population_marks.ts";
import type { Pinned } from "../restore.ts";
import { claimOf, passive, RESTORES } from "../testing/restore_samples.ts";
import { decidePopulations } from "./decide_populations.ts";
import type { ObservedClaim } from "./observe_populations.ts";

/** A claim whose mover has failed at length, and is tried again. */
function filling(n: number, length: number): ObservedClaim {
  const claim = claimOf({ name: `${n}`.padEnd(length, "c"), uid: `00000000-0000-0000-0000-${n}` });
  const source = { resource: RESTORES.resource, name: "again", uid: "uid-again" };
  const prime = claimOf({ ...primeMeta(claim, source), uid: `uid-prime-${n}` });
  const words = "w".repeat(length * 8);
  const failure = { class: "Unreachable", message: words, remedy: words, detail: words } as const;
  const place = {
    pool: "p".repeat(36),
    rank: 0,
    tenant: "t".repeat(length),
    since: AT,
    slot: "s".repeat(12),
  };
  const record = { attempt: 3, failures: 2, startedAt: AT, notBefore: AT, lastFailure: failure, place };
  const resolved: Pinned = {
    repository: {
      kind: "Repository",
      name: "r".repeat(length),
      namespace: "n".repeat(63),
      uniqueID: "u".repeat(64),
    },
    identity: { username: "u".repeat(length), hostname: "h".repeat(length), sourcePath: "/p".repeat(length) },
    snapshotID: "k".repeat(64),
    pinnedAt: AT,
  };
  const state = { phase: "BackingOff", failure, until: AT } as const;
  return {
    name: claim.metadata.name,
    claim,
    bound: undefined,
    prime,
    volume: undefined,
    memory: { resolved },
    filling: {
      resolution: ok({ type: "Pinned", pinned: resolved }),
      run: ok(taskPlan(`fill-${n}`, state, { record })),
    },
  };
}

test("the status of a Restore stays small, however many claims name it and however long its words are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 4, max: 253 }), (count, length) => {
      const claims = Array.from({ length: count }, (_, n) => {
        const { filling: begun, ...claim } = filling(n, length);
        return n < 4 ? { ...claim, filling: begun } : { ...claim, memory: {} };
      });
      const decision = decidePopulations({
        name: "again",
        restore: passive(),
        api: RESTORES,
        problem: undefined,
        claims,
        now: NOW,
      });
      const status = decision.status && fitted(decision.status);
      expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThanOrEqual(MAX_STATUS);
      expect(status?.claimCount).toBe(count);
      // What it goes by is all there.
      expect(Object.keys(status?.work ?? {})).toHaveLength(Math.min(count, 4) + 1);
    }),
    { examples: [[40, 253]] },
  );
});
