import { describe, expect, test } from "vitest";
import { AT, SETTINGS } from "../../../core/testing/samples.ts";
import { ANNOTATIONS, CONSENT_ANNOTATION, REQUEST_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Client } from "../../../kube/client.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { cachedLookup } from "../admission/lookup.ts";
import type { KopiurCaches } from "../caches.ts";
import { backup, config, readyNas } from "../testing/samples.ts";
import { childIn } from "./child.ts";
import { observeChildren } from "./observe_children.ts";

function cacheOf<T extends KubeObject>(...objects: readonly T[]): Cache<T> {
  const known = new Map(objects.map((object) => [keyOf(object), object]));
  const cache = { synced: true, get: (key: string) => known.get(key as never), indexed: () => [] };
  return cache as unknown as Cache<T>;
}

interface Given {
  readonly spec?: Partial<BackupConfigSpec>;
  /** Of the recipe. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: object;
  readonly recipe?: "none";
  /** Whose recipes the shop allows. */
  readonly allowed?: string;
  readonly namespace?: string;
  readonly going?: boolean;
  readonly begun?: BackupStatus["backupRefs"];
  /** The Backup in the shop, in the cache or only at the server. */
  readonly child?: Readonly<Record<string, string>>;
  readonly behind?: boolean;
}

const sources: BackupConfigSpec["sources"] = [
  { pvcSelector: { namespaceSelector: { matchNames: ["billing", "shop"] } }, sourcePathStrategy: "PVCName" },
];

const placed = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  ({ apiVersion: "v1", kind: "Namespace", metadata: { name, annotations } }) as unknown as KubeObject;

async function observe(given: Given) {
  const { spec, annotations = {}, status = { observedGeneration: 1 }, begun } = given;
  const recipe = config({ metadata: { annotations }, spec: { sources, ...spec }, status });
  const asking: Backup = backup({
    metadata: given.going ? { deletionTimestamp: AT } : {},
    status: begun ? { backupRefs: begun } : {},
  });
  const child = backup({
    metadata: { ...childIn(asking, "shop"), annotations: given.child ?? {} },
  });
  const consent = given.allowed ? { [ANNOTATIONS.allowedConfigNamespaces]: given.allowed } : {};
  const caches = {
    configs: given.recipe === "none" ? cacheOf() : cacheOf(recipe),
    backups: given.child && !given.behind ? cacheOf(child) : cacheOf(),
    namespaces: cacheOf(placed("billing"), placed("shop", consent)),
    repositories: cacheOf(readyNas()),
    schedules: cacheOf(),
  } as unknown as KopiurCaches;
  const ports = {
    caches,
    lookup: cachedLookup(caches, () => new Map(), given.namespace),
    settings: { ...SETTINGS, guarded: true },
    clock: new VirtualClock(),
    client: { get: async () => child } as unknown as Pick<Client, "get">,
    ...(given.namespace ? { namespace: given.namespace } : {}),
  };
  const { children, problem } = await observeChildren(ports, asking, new AbortController().signal);
  return { problem, children: "each" in children ? children.each : [] };
}

const shop = async (given: Given) => (await observe(given)).children.find((one) => one.namespace === "shop");

const noted = { [CONSENT_ANNOTATION]: "PersistentVolumeClaim/shop/*" };

describe("who lets a recipe be run on another namespace's claims", () => {
  test.each<[string, Given, string]>([
    ["the namespace lists the recipe's", { allowed: "lab, billing" }, "namespace"],
    ["nobody does where it lists others", { allowed: "lab,billings" }, "nobody"],
    ["nobody does", {}, "nobody"],
    ["no note of its author's rights does", { annotations: noted }, "nobody"],
  ])("%s", async (_, given, consent) => {
    expect(await shop(given)).toMatchObject({ consent });
  });

  test("its own needs nobody's consent", async () => {
    expect((await observe({})).children[0]).toMatchObject({ namespace: "billing", consent: "author" });
  });

  test("its list holds for the end of what was made, though the recipe is gone; and no note does", async () => {
    const begun = [{ ...childIn(backup(), "shop"), uid: "u", phase: "Succeeded" as const }];
    const gone = { recipe: "none", begun, going: true } as const;
    const author = { [REQUEST_ANNOTATIONS.consent]: "author" };
    expect(await shop({ ...gone, child: author })).toMatchObject({ consent: "nobody" });
    expect(await shop({ ...gone, child: author, allowed: "billing" })).toMatchObject({
      consent: "namespace",
    });
  });
});

test("one that goes asks the server for what was just made", async () => {
  const begun = [{ ...childIn(backup(), "shop"), phase: "Pending" as const }];
  expect((await shop({ begun, child: {}, behind: true }))?.child).toBeUndefined();
  expect((await shop({ begun, child: {}, behind: true, going: true }))?.child).toBeDefined();
});

test("an operator of one namespace does not see what is in the others", async () => {
  const begun = ["billing", "shop"].map((namespace) => ({ namespace, phase: "Pending" as const }));
  expect((await observe({ begun })).children).toMatchObject([{ unseen: false }, { unseen: false }]);
  const { children } = await observe({ begun, namespace: "billing" });
  expect(children).toMatchObject([{ unseen: false }, { namespace: "shop", unseen: true }]);
});

test("what was begun stays about the same namespaces, whatever the recipe says since", async () => {
  const begun = [{ namespace: "lab", phase: "Pending" as const }];
  const { children } = await observe({ begun });
  expect(children).toMatchObject([{ namespace: "lab", readyState: undefined }]);
});

test.each<[string, Given, string | undefined]>([
  ["can be run", {}, undefined],
  ["is gone", { recipe: "none", begun: [] }, "ConfigNotFound"],
  ["was edited and not looked at since", { status: {} }, "ConfigNotReady"],
  ["wants one moment for all", { spec: { copyMethod: "Snapshot" } }, "GroupAcrossNamespaces"],
  ["is of an operator of one namespace", { namespace: "billing" }, "CrossNamespaceUnsupported"],
  [
    "may not use the repository itself",
    { spec: { repository: { kind: "Repository", name: "none" } } },
    "RepositoryNotFound",
  ],
])("the recipe %s", async (_, given, reason) => {
  expect((await observe(given)).problem?.reason).toBe(reason);
});

test("a recipe that the API server refuses in a namespace has failed there", async () => {
  const refused = (namespace: string) => ({
    observedGeneration: 1,
    namespaces: [{ namespace, reason: "RecipeRefused", message: "It is refused there: no." }],
  });
  const readyStateOf = async (namespace: string) =>
    (await shop({ allowed: "billing", status: refused(namespace) }))?.readyState;
  expect(await readyStateOf("shop")).toMatchObject({ state: "failed", reason: "RecipeRefused" });
  expect(await readyStateOf("lab")).toMatchObject({ state: "making" });
});
