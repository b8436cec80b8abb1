import { expect, test } from "vitest";
import { BY_RECIPE } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { backup, readyConfig, restore, SETTINGS } from "../testing/samples.ts";
import { sourceObjects } from "./restore_sources.ts";

const first = backup();
const config = readyConfig();
const ports = {
  caches: {
    configs: { get: (key: string) => (key === "billing/data" ? config : undefined) },
    backups: {
      get: (key: string) => (key === "billing/first" ? first : undefined),
      indexed: (index: string, key: string) => (index === BY_RECIPE && key === "billing/data" ? [first] : []),
    },
  },
  lookup: { configsOf: () => [] },
  settings: SETTINGS,
} as unknown as KopiurPorts;

test("a recipe is looked up with the Backups that it made", () => {
  const source = { fromConfig: { name: "data", offset: 0 } };
  expect(sourceObjects(ports, restore({ spec: { source } }))).toMatchObject({ config, made: [first] });
});

test("a Backup is looked up alone", () => {
  const found = sourceObjects(ports, restore());
  expect(found).toMatchObject({ backup: first });
  expect([found.config, found.made]).toEqual([undefined, undefined]);
});
