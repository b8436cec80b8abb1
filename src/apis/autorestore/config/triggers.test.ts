import { describe, expect, test } from "vitest";
import { acceptance } from "../../../core/reconcile/annotated_request.ts";
import { ACCEPTED } from "../../../kinds/autorestore/annotations.ts";
import { objectName } from "../../../lib/names.ts";
import { NOW, sampleClaim } from "../testing/samples.ts";
import { acceptedOf, askedRestore, manualName, triggerOf } from "./triggers.ts";

/** As a backup is named that one annotation made in several targets. */
const SECOND = manualName({ value: "second", stamp: "" }, { pvc: "data", target: "nas-2", only: false });
const DOCUMENTED = "backup.datarestor-operator.com";
const OTHER = "backup.autorestore.com";

describe("triggerOf()", () => {
  test.each([
    ["nothing", {}, undefined],
    ["the documented prefix", { [`${DOCUMENTED}/manual-backup`]: "now" }, "now"],
    ["the other prefix", { [`${OTHER}/manual-backup`]: " before-upgrade " }, "before-upgrade"],
    ["a value that asks for nothing, however it is written", { [`${OTHER}/manual-backup`]: "False" }, ""],
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
});

test("of two that ask for something else, one is left for later", () => {
  const first = `${DOCUMENTED}/manual-restore`;
  const second = `${OTHER}/restore-from-backup`;
  const annotations = { [first]: "monday", [second]: "tuesday", [`${OTHER}/manual-restore`]: "false" };
  expect(triggerOf(sampleClaim("data", { annotations }), "restore")).toEqual({
    value: "monday",
    names: [first, `${OTHER}/manual-restore`],
  });
  expect(triggerOf(sampleClaim("data", { annotations: { [second]: "tuesday" } }), "restore")?.value).toBe(
    "tuesday",
  );
});

describe("acceptedOf()", () => {
  const of = (text: string) =>
    acceptedOf(sampleClaim("data", { annotations: { [ACCEPTED.backup]: text } }), "backup");

  test("has the value and the time of what was accepted", () => {
    expect(of(acceptance({ value: "before upgrade", names: [] }, NOW))).toMatchObject({
      value: "before upgrade",
      stamp: "20260524-120000",
    });
  });

  test("tells one from the next of the same value", () => {
    expect(of("20260524-120000 now")?.mark).toBe(of("20260524-120000 now")?.mark);
    expect(of("20260524-120000 now")?.mark).not.toBe(of("20260524-120001 now")?.mark);
  });

  test.each(["", "now", "20260524-120000"])("takes nothing from %j", (text) => {
    expect(of(text)).toBeUndefined();
  });
});

test.each([
  ["now", true, "manual-data-20260524-120000"],
  ["true", true, "manual-data-20260524-120000"],
  ["now", false, "manual-data-20260524-120000-nas"],
  ["before-upgrade", true, "before-upgrade"],
  ["Now", true, "manual-data-20260524-120000"],
  ["before-upgrade", false, "before-upgrade-data-nas"],
])("manualName() of %s, the only one: %s", (value, only, name) => {
  const accepted = { value, stamp: "20260524-120000" };
  expect(manualName(accepted, { pvc: "data", target: "nas", only })).toBe(name);
});

test("manualName() tells PVCs and targets apart, whatever dashes they have", () => {
  const accepted = { value: "first", stamp: "20260524-120000" };
  const name = (pvc: string, target: string) => manualName(accepted, { pvc, target, only: false });
  expect(name("db", "data-s3")).not.toBe(name("db-data", "s3"));
});

test.each([
  ["true", { type: "Latest" }],
  ["now", { type: "Latest" }],
  ["latest", { type: "Latest" }],
  ["True", { type: "Latest" }],
  ["Latest", { type: "Latest" }],
  ["0F3A9B21", { type: "Snapshot", id: "0f3a9b21" }],
  ["Before Upgrade", { type: "Backup", name: objectName("Before Upgrade") }],
  ["second", { type: "Backup", name: SECOND }],
  ["latest one", undefined],
  ["Monday", undefined],
  ["a".repeat(254), undefined],
  ["0f3a9b21", { type: "Snapshot", id: "0f3a9b21" }],
  ["monday", { type: "Backup", name: "monday" }],
  ["deadbeef", { type: "Backup", name: "deadbeef" }],
  ["first", { type: "Backup", name: "first-data-b2" }],
])("askedRestore() of %s", (value, asked) => {
  const there = [
    ...["deadbeef", "first-data-b2", "first-data-nas"],
    ...[objectName("Before Upgrade"), SECOND],
  ];
  const question = {
    pvc: "data",
    targets: ["usb", "b2", "nas", "nas-2"],
    isBackup: (name: string) => there.includes(name),
  };
  expect(askedRestore(value, question)).toEqual(asked);
});
