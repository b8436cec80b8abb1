import { describe, expect, test } from "vitest";
import type { RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { ok } from "../../../lib/result.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import {
  AT,
  backup,
  failed,
  NOW,
  readyConfig,
  restore,
  snapshot,
  UNREACHABLE,
  working,
} from "../testing/samples.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { ASK, asking, catalog, conditionOf, decide, ours, PINNED } from "./testing/restore_samples.ts";

/** What is decided, and told, when the repository answers with these. */
function told(...snapshots: readonly Snapshot[]) {
  const { status, events } = decide({ resolution: ok(ASK), asking: asking(catalog(snapshots)) });
  return { taken: status?.resolved?.snapshotID, events };
}

const whole = snapshot({ startedAt: "2026-05-23T02:00:00Z" });
const older = { id: "k0", startedAt: "2026-05-22T02:00:00Z" };

describe("the repository's answer", () => {
  test.each([
    [
      "one that a failed backup left",
      { startedAt: "2026-05-24T02:00:00Z", incomplete: "3 files could not be read" },
      "it is incomplete: 3 files could not be read",
    ],
    ["one from the future", { startedAt: "2026-05-25T02:00:00Z" }, "it is from the future"],
  ])("that passes over %s, though it is newer, is told with what is taken instead", (_, more, why) => {
    const { taken, events } = told(snapshot({ id: "k2", ...more }), whole);
    expect(taken).toBe("k1");
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "Resolved",
        message: expect.stringMatching(
          new RegExp(
            `^Snapshot k1, of ${whole.startedAt}, is restored\\. There is a newer one, k2, which is not taken unasked: ${why}`,
          ),
        ),
      },
    ]);
  });

  test.each([
    ["there is no other", []],
    ["that is older", [snapshot({ ...older, incomplete: "3 files could not be read" })]],
  ])("is told without more where nothing newer is passed over: %s", (_, others) => {
    const { taken, events } = told(whole, ...others);
    expect(taken).toBe("k1");
    expect(events).toEqual([{ type: "Normal", reason: "Resolved", message: "What is restored is decided." }]);
  });

  test("takes one without files that its backup was allowed to leave out", () => {
    expect(
      told(snapshot({ id: "k2", startedAt: "2026-05-24T02:00:00Z", failedFiles: 3 }), whole),
    ).toMatchObject({ taken: "k2", events: [{ type: "Normal" }] });
  });
});

describe("decideRestore(): the source", () => {
  test("is asked for in the repository, and its answer is pinned before anything else happens", () => {
    const before = decide({ resolution: ok(ASK), asking: asking(working) });
    expect(before).toMatchObject({ status: { phase: "Resolving", work: { "ask-1": {} } }, intents: [] });
    const after = decide({ resolution: ok(ASK), asking: asking(catalog([snapshot()])) });
    expect(after).toMatchObject({
      status: { phase: "Resolving", resolved: { snapshotID: "k1", runID: "run-1", pinnedAt: AT } },
      intents: [],
      wakeAt: NOW,
    });
  });

  test("that is not there fails, where it must be there", () => {
    const decision = decide({ resolution: ok(ASK), asking: asking(catalog([])) });
    expect(decision.status).toMatchObject({ phase: "Failed" });
    expect(decision.status?.resolved).toBeUndefined();
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "NoSnapshot" });
  });

  test.each<[string, Partial<RestoreSpec>]>([
    ["a recipe is the source", { source: { fromConfig: { name: "data", offset: 0 } } }],
    ["the policy says so", { policy: { waitTimeout: "5m", onMissingSnapshot: "Continue" } }],
  ])("that definitely is not there makes an empty volume, where %s", (_, spec) => {
    const object = restore({ spec });
    const pinned = decide({ restore: object, resolution: ok(ASK), asking: asking(catalog([])) });
    expect(pinned.status?.resolved).toMatchObject({ noSnapshot: true });
    const resolution = ok({ type: "Pinned", pinned: { ...PINNED, noSnapshot: true } } as const);
    expect(decide({ restore: object, resolution }).intents).toMatchObject([{ type: "EnsureClaim" }]);
    const decision = decide({ restore: object, resolution, claim: ours });
    expect(decision.status).toMatchObject({ phase: "Completed" });
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "NoSnapshot" });
  });

  describe("where the repository holds nothing of a recipe that has succeeded before", () => {
    const source = { fromConfig: { name: "data", offset: 0 } };
    const config = readyConfig({ status: { lastSuccessfulBackup: { name: "first", at: AT } } });
    const made = (...claims: readonly string[]) => {
      const identity = { username: "data", hostname: "billing", sourcePath: "/before" };
      const snapshots = claims.map((pvc) => ({ kopiaSnapshotID: "k1", identity, pvc }));
      return [backup({ status: { phase: "Succeeded", snapshots } })];
    };
    const asked = (spec: Partial<RestoreSpec>, more: Partial<ObservedRestore>) =>
      decide({
        restore: restore({ spec: { source, ...spec } }),
        resolution: ok(ASK),
        asking: asking(catalog([])),
        config,
        ...more,
      });

    test.each<[string, Partial<ObservedRestore>]>([
      ["a Backup holds the volume", { made: made("billing/logs", "billing/data") }],
      [
        "a Backup holds it that nobody has counted yet",
        { config: readyConfig(), made: made("billing/data") },
      ],
      ["its newest Backup is gone, which may have held it", { made: [] }],
    ])("no empty volume is made unasked: %s", (_, more) => {
      const decision = asked({}, more);
      expect(decision.status).toMatchObject({ phase: "Failed" });
      expect(decision.status?.resolved).toBeUndefined();
      expect(conditionOf(decision, "Stalled")).toMatchObject({
        reason: "NoSnapshot",
        message: expect.stringMatching(
          /no snapshot of data@billing:\/pvc\/data, though the recipe has backed the volume up before.*Continue/,
        ),
      });
      const policy = { waitTimeout: "5m", onMissingSnapshot: "Continue" } as const;
      expect(asked({ policy }, more).status?.resolved).toMatchObject({ noSnapshot: true });
    });

    test.each<[string, Partial<ObservedRestore>]>([
      ["its Backups hold other volumes alone", { made: made("billing/logs") }],
      [
        "it has not succeeded yet",
        { config: readyConfig(), made: [backup({ status: { phase: "Failed" } })] },
      ],
    ])("a volume that is new starts empty all the same: %s", (_, more) => {
      expect(asked({}, more).status?.resolved).toMatchObject({ noSnapshot: true });
    });
  });

  const before = "2020-01-01T00:00:00Z";
  test.each([
    ["fewer snapshots than offset goes back", { offset: 1 }, catalog([snapshot()])],
    ["only snapshots after asOf", { asOf: before, offset: 0 }, catalog([], 0, 2)],
    ["perhaps snapshots after asOf", { asOf: before, offset: 0 }, catalog([])],
  ])(
    "is not taken for a first deployment where the repository holds %s, unless that is asked for",
    (_, point, answer) => {
      const source = { fromConfig: { name: "data", ...point } };
      const resolution = ok({ ...ASK, point });
      const decision = decide({ restore: restore({ spec: { source } }), resolution, asking: asking(answer) });
      expect(decision.status).toMatchObject({ phase: "Failed" });
      expect(decision.status?.resolved).toBeUndefined();
      expect(conditionOf(decision, "Stalled")).toMatchObject({
        reason: "NoSnapshot",
        message: expect.stringContaining("holds snapshots of data@billing:/pvc/data, and none as far back"),
      });
      const policy = { waitTimeout: "5m", onMissingSnapshot: "Continue" } as const;
      const asked = decide({
        restore: restore({ spec: { source, policy } }),
        resolution,
        asking: asking(answer),
      });
      expect(asked.status?.resolved).toMatchObject({ noSnapshot: true });
    },
  );

  test("that no snapshot is as old as makes an empty volume, where none is younger", () => {
    const point = { asOf: before, offset: 0 };
    const object = restore({ spec: { source: { fromConfig: { name: "data", ...point } } } });
    const resolution = ok({ ...ASK, point });
    const decision = decide({ restore: object, resolution, asking: asking(catalog([], 0, 0)) });
    expect(decision.status?.resolved).toMatchObject({ noSnapshot: true });
  });

  test("an unreachable repository is not an empty one", () => {
    const object = restore({ spec: { source: { fromConfig: { name: "data", offset: 0 } } } });
    const decision = decide({ restore: object, resolution: ok(ASK), asking: asking(failed(UNREACHABLE)) });
    expect(decision.status).toMatchObject({ phase: "Failed", failure: { errorClass: "Unreachable" } });
    expect(decision.status?.resolved).toBeUndefined();
    expect(decision.intents).toEqual([]);
  });

  test("further back than the repository was asked is not taken for missing", () => {
    const object = restore({ spec: { source: { fromConfig: { name: "data", offset: 500 } } } });
    const resolution = ok({ ...ASK, point: { offset: 500 } });
    const decision = decide({ restore: object, resolution, asking: asking(catalog([snapshot()], 700)) });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "TooFarBack" });
  });
});
