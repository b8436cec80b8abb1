import { describe, expect, test } from "vitest";
import { AT, NOW, snapshot } from "../testing/samples.ts";
import { pickVolume, pinAnswer } from "./resolution.ts";
import { ASK } from "./testing/restore_samples.ts";

test("the snapshot is pinned that was found, or that there is none", () => {
  const { repository, identity } = ASK;
  const { username, hostname, path: sourcePath } = identity;
  const base = { repository, identity: { username, hostname, sourcePath }, pinnedAt: AT };
  expect(pinAnswer(ASK, snapshot(), NOW)).toEqual({
    ...base,
    snapshotID: "k1",
    root: "root-1",
    runID: "run-1",
    fidelity: "Full",
    snapshotTime: "2026-05-24T02:12:00Z",
    sizeBytes: 300,
  });
  expect(pinAnswer(ASK, undefined, NOW)).toEqual({ ...base, noSnapshot: true });
});

test("what the snapshot lacks is pinned with it", () => {
  expect(pinAnswer(ASK, snapshot({ failedFiles: 2 }), NOW).lacks).toBe(
    "2 could not be read when it was made",
  );
  expect(pinAnswer(ASK, snapshot({ incomplete: "it was cut off" }), NOW).lacks).toBe("it was cut off");
});

const data = { pvc: "billing/data", path: "/pvc/data" };
const logs = { pvc: "billing/logs", path: "/pvc/logs" };

const remedies = { unknown: "Correct it.", ambiguous: "Name one." };

describe("pickVolume()", () => {
  test.each([
    ["the only one, whatever the target", [data], { target: "other" }, data],
    ["the target's namesake", [data, logs], { target: "logs" }, logs],
    ["by name", [data, logs], { pvc: "data", target: "logs" }, data],
    ["by namespace and name", [data, logs], { pvc: "billing/logs" }, logs],
    ["by path", [data, logs], { sourcePath: "/pvc/logs", target: "restored" }, logs],
  ])("takes %s", (_, volumes, pick, wanted) => {
    expect(pickVolume(volumes, pick, remedies)).toEqual({ ok: true, value: wanted });
  });

  test.each([
    ["VolumeAmbiguous", "none fits", [data, logs], { target: "restored" }],
    ["VolumeUnknown", "the only one is not the one that was asked for", [data], { pvc: "logs" }],
    ["VolumeUnknown", "none has the path", [data, logs], { sourcePath: "/pvc/lgos", target: "logs" }],
    [
      "VolumeAmbiguous",
      "the only one is not the target's namesake, and there may be others",
      [data],
      { target: "logs", open: true },
    ],
    ["VolumeAmbiguous", "there are none", [], {}],
    [
      "VolumeAmbiguous",
      "two have the path",
      [data, { ...logs, path: "/pvc/data" }],
      { sourcePath: "/pvc/data" },
    ],
  ])("refuses as %s when %s", (reason, _, volumes, pick) => {
    expect(pickVolume(volumes, pick, remedies)).toMatchObject({
      ok: false,
      error: {
        reason,
        message: expect.stringMatching(reason === "VolumeUnknown" ? /Correct it\.$/ : /Name one\.$/),
      },
    });
  });
});
