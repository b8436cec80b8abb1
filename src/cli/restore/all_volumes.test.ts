import { expect, test } from "vitest";
import { backupOf, NOW, recipe } from "../testing/cli_samples.ts";
import { type AllRequest, allVolumes } from "./all_volumes.ts";

const made = (of: string, name: string, startTime: string) => backupOf(of, name, { timing: { startTime } });
const all = (request: Pick<AllRequest, "configs" | "backups"> & Partial<AllRequest>) =>
  allVolumes({ namespace: "home", now: NOW, ...request });

const old = made("data", "old", "2026-05-20T00:00:00Z");
const young = made("photos", "young", "2026-05-24T00:00:00Z");
const configs = [recipe("photos"), recipe("data"), recipe("bare")];

test("every volume that has a backup is restored, and what has none is named", () => {
  expect(all({ configs, backups: [old, young] })).toEqual({
    volumes: [
      { claim: "data", config: "data" },
      { claim: "photos", config: "photos" },
    ],
    without: ["bare"],
  });
});

test("as of a time, only what was there by then is", () => {
  expect(all({ configs, backups: [old, young], asOf: "2026-05-22T00:00:00Z" })).toEqual({
    volumes: [{ claim: "data", config: "data" }],
    without: ["bare", "photos"],
  });
});

test("a volume of two BackupConfigs is restored once, from the one with the newer Backup", () => {
  const other = recipe("data");
  const second = { ...other, metadata: { ...other.metadata, name: "second" } };
  const newer = made("data", "newer", "2026-05-23T00:00:00Z");
  const ofSecond = { ...newer, spec: { configRef: { name: "second" } } } as typeof newer;
  for (const order of [
    [recipe("data"), second],
    [second, recipe("data")],
  ])
    expect(all({ configs: order, backups: [old, ofSecond] }).volumes).toEqual([
      { claim: "data", config: "second" },
    ]);
});

test("volumes of other namespaces are left alone", () => {
  expect(all({ namespace: "work", configs, backups: [old, young] })).toEqual({ volumes: [], without: [] });
});
