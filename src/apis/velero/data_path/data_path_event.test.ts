import { expect, test } from "vitest";
import { dataPathEvent } from "./data_path_event.ts";
import type { PodVolume } from "./pod_volume.ts";
import { sampleBackup, sampleRestore } from "./testing/samples.ts";

const AT = "2026-01-01T12:00:00Z";
const backup = (status: object) => ({ ...sampleBackup, status }) as PodVolume;

test.each<[string, object, object | undefined]>([
  ["New", { phase: "Accepted" }, undefined],
  ["Accepted", { phase: "Prepared" }, undefined],
  [
    "Prepared",
    { phase: "InProgress", startTimestamp: AT },
    { type: "Normal", reason: "Data-Path-Started", message: "It is InProgress." },
  ],
  ["InProgress", { phase: "InProgress", startTimestamp: AT }, undefined],
  [
    "InProgress",
    { phase: "Canceling", startTimestamp: AT },
    { type: "Warning", reason: "Data-Path-Canceling", message: "It is Canceling." },
  ],
  [
    "Canceling",
    { phase: "Canceled", startTimestamp: AT, message: "Canceled." },
    { type: "Warning", reason: "Data-Path-Canceled", message: "Canceled." },
  ],
  [
    "InProgress",
    { phase: "Failed", startTimestamp: AT, message: "no answer" },
    { type: "Warning", reason: "Data-Path-Failed", message: "no answer" },
  ],
  [
    "New",
    { phase: "Failed", message: "no such volume" },
    { type: "Warning", reason: "Failed", message: "no such volume" },
  ],
])("from %s to %j", (before, status, event) => {
  expect(dataPathEvent(before, backup(status))).toEqual(event);
});

test("what has completed tells its result as the document has it", () => {
  const done = { phase: "Completed", startTimestamp: AT, snapshotID: "abc" };
  const place = { byPath: "/holdfast/volumes/volume", volumeMode: "Filesystem" };
  const told = [backup(done), { ...sampleRestore, status: done } as PodVolume].map((object) =>
    dataPathEvent("InProgress", object),
  );
  expect(told.map((event) => event?.reason)).toEqual(["Data-Path-Completed", "Data-Path-Completed"]);
  expect(told.map((event) => JSON.parse(event?.message ?? ""))).toEqual([
    { snapshotID: "abc", emptySnapshot: false, source: place },
    { target: place },
  ]);
});
