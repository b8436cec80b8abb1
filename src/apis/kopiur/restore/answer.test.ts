import { describe, expect, test } from "vitest";
import { ok } from "../../../lib/result.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import { NOW, restore, snapshot } from "../testing/samples.ts";
import { decideRestore } from "./decide_restore.ts";
import { ASK, asking, catalog } from "./testing/restore_samples.ts";

/** What is decided, and told, when the repository answers with these. */
function told(...snapshots: readonly Snapshot[]) {
  const { status, events } = decideRestore({
    restore: restore(),
    resolution: ok(ASK),
    asking: asking(catalog(snapshots)),
    scaled: [],
    now: NOW,
  });
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
