import { expect, test } from "vitest";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { maintenance as manifest } from "../admission/testing/manifests.ts";
import { storedOf } from "../admission/testing/memory_door.ts";
import { givesWay, secondMaintenance } from "./other_maintenance.ts";

const maintenance = (name: string, more: object = {}) =>
  storedOf({ ...manifest(), name, ...more }) as Maintenance;
const named = maintenance("one");

test("a repository is the same however it is referred to", () => {
  const explicit = maintenance("two", { spec: { repository: { name: "nas", namespace: "tenant-a" } } });
  expect(secondMaintenance(explicit, [named])?.reason).toBe("SecondMaintenance");
});

test.each([
  ["itself", named],
  ["that of another repository", maintenance("two", { spec: { repository: { name: "other" } } })],
  ["that of a repository of the same name elsewhere", maintenance("two", { namespace: "tenant-b" })],
  [
    "that of a ClusterRepository of the same name",
    maintenance("two", { spec: { repository: { kind: "ClusterRepository", name: "nas" } } }),
  ],
  [
    "one that is going",
    { ...named, metadata: { ...named.metadata, name: "two", deletionTimestamp: "2026-05-24T00:00:00Z" } },
  ],
])("%s is no second one", (_, other) => {
  expect(secondMaintenance(named, [other])).toBeUndefined();
});

const later = {
  ...named,
  metadata: { ...named.metadata, name: "a", creationTimestamp: "2026-06-01T00:00:00Z" },
};
const byDefault = (one: Maintenance): Maintenance => ({
  ...one,
  metadata: { ...one.metadata, labels: { [LABELS.defaultMaintenance]: "true" } },
});

test("of two the later one gives way", () => {
  expect(givesWay(later, [named, later])?.reason).toBe("SecondMaintenance");
  expect(givesWay(named, [named, later])).toBeUndefined();
});

test("one that was made by default gives way to one that somebody wrote, however old it is", () => {
  const old = byDefault(named);
  expect(givesWay(old, [old, later])?.reason).toBe("SecondMaintenance");
  expect(givesWay(later, [old, later])).toBeUndefined();
  expect(secondMaintenance(later, [old])).toBeUndefined();
  expect(secondMaintenance(old, [later])?.reason).toBe("SecondMaintenance");
});
