import { expect, test } from "vitest";
import type { VolumeView } from "../../../src/core/view/view.ts";
import { configsOf } from "./configs.ts";

const by = [
  { kind: "BackupConfig", namespace: "ops", name: "all", api: "kopiur" },
  { kind: "BackupConfig", namespace: "shop", name: "other", api: "autorestore" },
  { kind: "Schedule", namespace: "velero", name: "nightly", api: "velero" },
];
const volume: VolumeView = { namespace: "shop", name: "documents", protection: "yes", wrong: [], by };
const lastGood = { object: { kind: "Backup", name: "b" }, claim: "shop/orders", at: "2026-05-24T03:00:00Z" };
const lost = [
  { claim: "shop/orders", lastGood, restore: "holdfast restore config/orders --to orders -n shop" },
];

test.each([
  ["shop/documents", [{ namespace: "ops", name: "all" }]],
  ["shop/orders", [{ namespace: "shop", name: "orders" }]],
  ["shop/nothing", []],
  [undefined, []],
])("the BackupConfigs of %s", (named, expected) => {
  expect(configsOf({ volumes: [volume], lost }, named)).toEqual(expected);
});
