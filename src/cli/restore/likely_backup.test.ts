import { describe, expect, test } from "vitest";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { backupOf, foundBackup, NOW, recipe } from "../testing/cli_samples.ts";
import { type Likely, likelyBackup } from "./likely_backup.ts";
import { backupsOf } from "./recipe_backups.ts";

const REPOSITORY = { kind: "Repository", name: "store", uid: "old", uniqueID: "r1" } as const;

const resolvedOf = (config: string) => ({
  name: config,
  namespace: "home",
  resolved: { ...recipe(config).status?.resolved, repository: { ...REPOSITORY, uid: "new" } },
});

const at = (name: string, startTime: string, phase = "Succeeded") =>
  backupOf("data", name, { phase, timing: { startTime }, resolved: { repository: REPOSITORY } });

const nameOf = ({ backup }: Likely) => backup?.metadata.name;

describe("likelyBackup()", () => {
  const backups = [
    at("a", "2026-05-01T00:00:00Z"),
    at("c", "2026-05-03T00:00:00Z"),
    at("b", "2026-05-02T00:00:00Z"),
    at("x", "2026-05-04T00:00:00Z", "Failed"),
  ];
  test.each([
    [{ offset: 0 }, "c"],
    [{ offset: 1 }, "b"],
    [{ offset: 0, asOf: "2026-05-02T12:00:00Z" }, "b"],
    [{ offset: 3 }, undefined],
  ])("%j is %s", (point, name) => {
    expect(nameOf(likelyBackup(backups, resolvedOf("data"), { ...point, now: NOW }))).toBe(name);
  });

  test("is none whose source had shrunk, unless that was accepted", () => {
    const empty = backupOf("data", "empty", {
      timing: { startTime: "2026-05-05T00:00:00Z" },
      snapshots: backups[0]?.status?.snapshots?.map((one) => ({ ...one, sizeBytes: 0 })),
      stats: { files: 0 },
    });
    const all = [empty, ...backups];
    const likely = likelyBackup(all, resolvedOf("data"), { offset: 0, now: NOW });
    expect(nameOf(likely)).toBe("c");
    expect(likely.passedOver).toMatchObject([
      { backup: { metadata: { name: "empty" } }, why: "the source had shrunk to 0 bytes, from 2048 before" },
    ]);
    const accepting = { ...resolvedOf("data"), shrink: { accepted: "empty" } };
    expect(nameOf(likelyBackup(all, accepting, { offset: 0, now: NOW }))).toBe("empty");
  });

  test("is of the recipe that was named", () => {
    const newest = { offset: 0, now: NOW };
    expect(likelyBackup(backups, { name: "data", namespace: "away" }, newest)).toEqual({ passedOver: [] });
    expect(likelyBackup(backups, resolvedOf("other"), newest)).toEqual({ passedOver: [] });
  });

  test("needs no recipe where the Backups outlived it", () => {
    const gone = { name: "data", namespace: "home" };
    expect(nameOf(likelyBackup(backups, gone, { offset: 0, now: NOW }))).toBe("c");
  });

  test("is none that does not hold the volume that is meant", () => {
    const other = backupOf("other", "other", { timing: { startTime: "2026-05-04T00:00:00Z" } });
    const both = [{ ...other, spec: { ...other.spec, configRef: { name: "data" } } }, ...backups];
    const chosen = (claim?: string) =>
      nameOf(likelyBackup(both, resolvedOf("data"), { offset: 0, claim, now: NOW }));
    expect([chosen("data"), chosen("other"), chosen()]).toEqual(["c", "other", "other"]);
  });
});

describe("what is not taken unless it is named", () => {
  const identity = { username: "data", hostname: "home", sourcePath: "/data" };
  const halved = (backup: Backup): Backup => {
    const snapshots = backup.status?.snapshots?.map((one) => ({ ...one, incomplete: "3 files" }));
    return { ...backup, status: { ...backup.status, snapshots } } as Backup;
  };
  const ran = (name: string, day: string) => at(name, `${day}T00:00:00Z`);
  const found = (name: string, day: string) =>
    foundBackup(identity, name, { uniqueID: "r1", at: `${day}T00:00:00Z` });
  const whole = ran("whole", "2026-05-03");
  const chosen = (backups: readonly Backup[], point: object = {}) => {
    const likely = likelyBackup(backups, resolvedOf("data"), { offset: 0, now: NOW, ...point });
    return [nameOf(likely), ...likely.passedOver.map(({ backup, why }) => `${backup.metadata.name}: ${why}`)];
  };
  const lack = "it is incomplete: 3 files";

  test.each([
    ["ran", ran],
    ["was found", found],
  ])("is a Backup that %s, and does not hold all of the volume", (_, made) => {
    const newest = halved(made("newest", "2026-05-04"));
    const oldest = halved(made("oldest", "2026-05-01"));
    expect(chosen([oldest, newest, whole])).toEqual(["whole", `newest: ${lack}`]);
    expect(chosen([newest])).toEqual([undefined, `newest: ${lack}`]);
    expect(chosen([newest, whole], { asOf: "2026-05-03T12:00:00Z" })).toEqual(["whole"]);
    expect(chosen([newest, whole, ran("older", "2026-05-02")], { offset: 1 })).toEqual([
      "older",
      `newest: ${lack}`,
    ]);
  });

  test.each([
    ["ran", ran],
    ["was found", found],
  ])("is a Backup that %s, from the future", (_, made) => {
    const ahead = made("ahead", "2026-06-01");
    const future = "it is from the future (2026-06-01T00:00:00Z), so that somebody's clock is wrong";
    expect(chosen([ahead, whole])).toEqual(["whole", `ahead: ${future}`]);
    expect(chosen([ahead, whole], { asOf: "2026-06-02T00:00:00Z" })).toEqual(["ahead"]);
    const soon = at("soon", "2026-05-24T12:04:00Z");
    expect(chosen([soon, whole])).toEqual(["soon"]);
  });

  test("is judged by the volume that is meant", () => {
    const [one] = whole.status?.snapshots ?? [];
    const more = { ...one, pvc: "home/more", incomplete: "3 files" };
    const two = at("two", "2026-05-04T00:00:00Z");
    const both = { ...two, status: { ...two.status, snapshots: [one, more] } } as Backup;
    expect(chosen([both], { claim: "data" })).toEqual(["two"]);
    expect(chosen([both], { claim: "home/more" })).toEqual([undefined, `two: ${lack}`]);
    expect(chosen([both])).toEqual(["two"]);
  });
});

describe("backups that were found after the loss of all objects", () => {
  const found = (of: string, name: string, uniqueID?: string) =>
    foundBackup({ username: of, hostname: "home", sourcePath: `/${of}` }, name, uniqueID ? { uniqueID } : {});

  test("are the recipe's when they have its identity, in its repository", () => {
    const backups = [
      found("data", "ours", "r1"),
      found("other", "others", "r1"),
      found("data", "copied", "r2"),
      found("data", "anywhere"),
    ];
    expect(backupsOf(backups, resolvedOf("data")).map(({ metadata }) => metadata.name)).toEqual(["ours"]);
    const { resolved, ...unresolved } = resolvedOf("data");
    const { repository: _, ...placeless } = resolved;
    expect(backupsOf(backups, { ...unresolved, resolved: placeless })).toEqual([]);
    expect(backupsOf(backups, unresolved)).toEqual([]);
  });

  test("are of one volume each, and a choice by time is among those of the one that is meant", () => {
    const at = (volume: string, day: number) =>
      foundBackup({ username: "shop", hostname: "home", sourcePath: `/${volume}` }, `${volume}-${day}`, {
        uniqueID: "r1",
        at: `2026-05-0${day}T00:00:00Z`,
      });
    const backups = [at("images", 1), at("orders", 2), at("images", 3), at("orders", 4)];
    const sources = ["images", "orders"].map((of) => ({ pvc: `home/${of}`, sourcePath: `/${of}` }));
    const identity = { username: "shop", hostname: "home", sources };
    const shop = { name: "shop", namespace: "home", resolved: { identity, repository: REPOSITORY } };
    const chosen = (offset: number, claim: string) =>
      nameOf(likelyBackup(backups, shop, { offset, claim, now: NOW }));
    expect([chosen(0, "images"), chosen(1, "images")]).toEqual(["images-3", "images-1"]);
    expect([chosen(1, "home/orders"), chosen(0, "/orders"), chosen(0, "more")]).toEqual([
      "orders-2",
      "orders-4",
      undefined,
    ]);
  });
});
