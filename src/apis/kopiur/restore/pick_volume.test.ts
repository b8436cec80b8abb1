import { describe, expect, test } from "vitest";
import { pickVolume } from "./pick_volume.ts";

const data = { pvc: "billing/data", path: "/pvc/data" };
const logs = { pvc: "billing/logs", path: "/pvc/logs" };

describe("pickVolume()", () => {
  test.each([
    ["the only one, whatever the target", [data], { target: "other" }, data],
    ["the target's namesake", [data, logs], { target: "logs" }, logs],
    ["by name", [data, logs], { pvc: "data", target: "logs" }, data],
    ["by namespace and name", [data, logs], { pvc: "billing/logs" }, logs],
    ["by path", [data, logs], { sourcePath: "/pvc/logs", target: "restored" }, logs],
  ])("takes %s", (_, volumes, pick, wanted) => {
    expect(pickVolume(volumes, pick)).toEqual({ ok: true, value: wanted });
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
    expect(pickVolume(volumes, pick)).toMatchObject({ ok: false, error: { reason } });
  });
});
