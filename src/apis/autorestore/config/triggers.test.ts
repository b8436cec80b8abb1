import { describe, expect, test } from "vitest";
import { NOW, sampleClaim } from "../testing/samples.ts";
import { askedRestore, manualName, triggerOf } from "./triggers.ts";

const DOCUMENTED = "backup.datarestor-operator.com";
const OTHER = "backup.autorestore.com";

describe("triggerOf()", () => {
  test.each([
    ["nothing", {}, undefined],
    ["the documented prefix", { [`${DOCUMENTED}/manual-backup`]: "now" }, "now"],
    ["the other prefix", { [`${OTHER}/manual-backup`]: " before-upgrade " }, "before-upgrade"],
    ["a value that asks for nothing", { [`${OTHER}/manual-backup`]: "false" }, ""],
    ["no value", { [`${OTHER}/manual-backup`]: "" }, ""],
    ["something else", { [`${OTHER}/manual-restore`]: "now" }, undefined],
  ])("of a backup, with %s", (_, annotations, value) => {
    expect(triggerOf(sampleClaim("data", { annotations }), "backup")?.value).toBe(value);
  });

  test("a restore has two names", () => {
    const annotations = {
      [`${DOCUMENTED}/restore-from-backup`]: "latest",
      [`${OTHER}/manual-restore`]: "latest",
    };
    expect(triggerOf(sampleClaim("data", { annotations }), "restore")?.names).toHaveLength(2);
  });

  test("is another one once somebody has touched the object", () => {
    const annotations = { [`${OTHER}/manual-backup`]: "now" };
    const mark = (resourceVersion: string) =>
      triggerOf(sampleClaim("data", { annotations, resourceVersion }), "backup")?.mark;
    expect(mark("1")).toBe(mark("1"));
    expect(mark("1")).not.toBe(mark("2"));
  });
});

test.each([
  ["now", true, "manual-data-20260524-120000"],
  ["true", true, "manual-data-20260524-120000"],
  ["now", false, "manual-data-20260524-120000-nas"],
  ["before-upgrade", true, "before-upgrade"],
  ["before-upgrade", false, "before-upgrade-data-nas"],
])("manualName() of %s, the only one: %s", (value, only, name) => {
  expect(manualName({ value, names: [], mark: "" }, { pvc: "data", target: "nas", only }, NOW)).toBe(name);
});

test.each([
  ["true", { type: "Latest" }],
  ["now", { type: "Latest" }],
  ["latest", { type: "Latest" }],
  ["0f3a9b21", { type: "Snapshot", id: "0f3a9b21" }],
  ["monday", { type: "Backup", name: "monday" }],
  ["deadbeef", { type: "Backup", name: "deadbeef" }],
])("askedRestore() of %s", (value, asked) => {
  expect(askedRestore(value, (name) => name === "deadbeef")).toEqual(asked);
});
