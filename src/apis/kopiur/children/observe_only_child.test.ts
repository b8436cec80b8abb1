import { expect, test } from "vitest";
import { SETTINGS } from "../../../core/testing/samples.ts";
import { CONSENT_ANNOTATION, REQUEST_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Client } from "../../../kube/client.ts";
import { type KubeObject, keyOf, type ObjectMeta } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { cachedLookup } from "../admission/lookup.ts";
import type { KopiurCaches } from "../caches.ts";
import { backup, config } from "../testing/samples.ts";
import type { Consent } from "./child.ts";
import { onlyChildPlace } from "./child.ts";
import { observeChildren } from "./observe_children.ts";

function cacheOf<T extends KubeObject>(...objects: readonly T[]): Cache<T> {
  const known = new Map(objects.map((object) => [keyOf(object), object]));
  return { synced: true, get: (key: string) => known.get(key as never) } as unknown as Cache<T>;
}

interface Given {
  readonly recipe?: Partial<BackupConfigSpec> | "none";
  readonly metadata?: Partial<ObjectMeta>;
  /** Of the namespace that asks, if that was read. */
  readonly labels?: Readonly<Record<string, string>> | "unread";
  readonly status?: BackupStatus;
  readonly guarded?: boolean;
  /** The cache does not have the other Backup yet. */
  readonly behind?: boolean;
  readonly namespace?: string;
  /** Who consented, as is noted on the other Backup. */
  readonly noted?: string;
}

function observe(given: Given) {
  const { recipe = {}, metadata = {}, status = {}, labels = {}, guarded = true, namespace } = given;
  const asking = backup({ metadata, spec: { configRef: { name: "data", namespace: "shop" } }, status });
  const annotations = given.noted ? { [REQUEST_ANNOTATIONS.consent]: given.noted } : {};
  const child = backup({ metadata: { ...onlyChildPlace(asking), annotations } });
  const own = { metadata: { name: "billing", labels } } as unknown as KubeObject;
  const caches = {
    configs:
      recipe === "none" ? cacheOf() : cacheOf(config({ metadata: { namespace: "shop" }, spec: recipe })),
    backups: given.behind ? cacheOf() : cacheOf(child),
    namespaces: labels === "unread" ? cacheOf() : cacheOf(own),
  } as unknown as KopiurCaches;
  const seen = observeChildren(
    {
      caches,
      lookup: cachedLookup(caches, () => new Map()),
      settings: { ...SETTINGS, guarded },
      clock: new VirtualClock(),
      client: { get: async () => child } as unknown as Pick<Client, "get">,
      ...(namespace ? { namespace } : {}),
    },
    asking,
    new AbortController().signal,
  );
  return seen.then(({ children, problem }) => ({
    problem,
    only: "only" in children ? children.only : undefined,
  }));
}

const consented = { annotations: { [CONSENT_ANNOTATION]: "BackupConfig/shop/data" } };

test.each<[string, Given, string | undefined]>([
  ["the recipe lists the namespace", { recipe: { allowedNamespaces: { list: ["billing"] } } }, undefined],
  [
    "the recipe selects the namespace",
    {
      recipe: { allowedNamespaces: { selector: { matchLabels: { tier: "gold" } } } },
      labels: { tier: "gold" },
    },
    undefined,
  ],
  ["its author was allowed to name it", { metadata: consented }, undefined],
  ["nobody consents", {}, "CrossNamespaceForbidden"],
  ["a consent may be made up", { metadata: consented, guarded: false }, "CrossNamespaceForbidden"],
  [
    "a consent was written on what is going",
    { metadata: { ...consented, deletionTimestamp: "2026-05-24T00:00:00Z" } },
    "CrossNamespaceForbidden",
  ],
  ["there is no recipe", { recipe: "none", metadata: consented }, "ConfigNotFound"],
  [
    "only one namespace is looked at",
    { metadata: consented, namespace: "billing" },
    "CrossNamespaceUnsupported",
  ],
])("whether a recipe of another namespace may be run where %s", async (_, given, reason) => {
  expect((await observe(given)).problem?.reason).toBe(reason);
});

const going = { deletionTimestamp: "2026-05-24T00:00:00Z" };
const listed = { allowedNamespaces: { list: ["billing"] } };
const selected = { allowedNamespaces: { selector: { matchLabels: { tier: "gold" } } } };

test.each<[string, Given, Consent]>([
  ["its author was allowed to", { metadata: consented }, "author"],
  ["the recipe lists it", { recipe: listed }, "recipe"],
  ["nobody says so", {}, "nobody"],
  ["nobody knows", { recipe: selected, labels: "unread" }, "unknown"],
  ["it goes, and the recipe lists it", { metadata: going, recipe: listed, noted: "recipe" }, "recipe"],
  ["it goes, and the recipe has ceased to list it", { metadata: going, noted: "recipe" }, "nobody"],
  ["it goes, and the recipe is gone", { metadata: going, recipe: "none", noted: "recipe" }, "nobody"],
  ["it goes, and its author was allowed to", { metadata: going, noted: "author" }, "author"],
  ["it goes, and says now that its author was", { metadata: { ...consented, ...going } }, "nobody"],
  ["it goes, and a note may be made up", { metadata: going, noted: "author", guarded: false }, "nobody"],
])("who lets a recipe be run from another namespace where %s", async (_, given, consent) => {
  expect((await observe(given)).only?.consent).toBe(consent);
});

const made: BackupStatus = { backupRef: { namespace: "shop", name: "first-1" } };

test.each<[string, Given, boolean]>([
  ["that the cache has", {}, true],
  [
    "that was made and not seen yet, before the one that asked goes",
    { behind: true, metadata: going, status: made },
    true,
  ],
  ["that was made and not seen yet, while there is time", { behind: true, status: made }, false],
  ["that was never made", { behind: true, metadata: going }, false],
])("the Backup beside the recipe, %s", async (_, given, found) => {
  expect((await observe(given)).only?.child !== undefined).toBe(found);
});
