import { describe, expect, test } from "vitest";
import { backupOf, foundBackup, recipe } from "../testing/cli_samples.ts";
import { likelyBackup, restoredClaim } from "./likely_backup.ts";
import { backupsOf } from "./recipe_backups.ts";

const REPOSITORY = { kind: "Repository", name: "store", uid: "old", uniqueID: "r1" } as const;

const resolvedOf = (config: string) => ({
  name: config,
  namespace: "home",
  resolved: { ...recipe(config).status?.resolved, repository: { ...REPOSITORY, uid: "new" } },
});

const at = (name: string, startTime: string, phase = "Succeeded") =>
  backupOf("data", name, { phase, timing: { startTime }, resolved: { repository: REPOSITORY } });

test("a Restore takes the data of the claim that it names, or of several that of its target's namesake", () => {
  const sources = ["images", "orders"].map((of) => ({ pvc: `home/${of}`, sourcePath: `/${of}` }));
  const shop = { ...resolvedOf("shop"), resolved: { identity: { username: "u", hostname: "h", sources } } };
  const target = "images";
  expect(restoredClaim(shop, { pvc: "orders", target })).toBe("orders");
  expect(restoredClaim(shop, { pvc: undefined, target })).toBe("images");
  expect(restoredClaim(resolvedOf("data"), { pvc: undefined, target })).toBeUndefined();
});

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
    expect(likelyBackup(backups, resolvedOf("data"), point)?.metadata.name).toBe(name);
  });

  test("is of the recipe that was named", () => {
    expect(likelyBackup(backups, { name: "data", namespace: "away" }, { offset: 0 })).toBeUndefined();
    expect(likelyBackup(backups, resolvedOf("other"), { offset: 0 })).toBeUndefined();
  });

  test("needs no recipe where the Backups outlived it", () => {
    const gone = { name: "data", namespace: "home" };
    expect(likelyBackup(backups, gone, { offset: 0 })?.metadata.name).toBe("c");
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
      likelyBackup(backups, shop, { offset, claim })?.metadata.name;
    expect([chosen(0, "images"), chosen(1, "images")]).toEqual(["images-3", "images-1"]);
    expect([chosen(1, "home/orders"), chosen(0, "/orders"), chosen(0, "more")]).toEqual([
      "orders-2",
      "orders-4",
      undefined,
    ]);
  });
});
