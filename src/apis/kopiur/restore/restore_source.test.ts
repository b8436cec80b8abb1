import { describe, expect, test } from "vitest";
import { blocked } from "../../../core/reconcile/problem.ts";
import { AT, NOW, SETTINGS } from "../../../core/testing/samples.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Restore, RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { BY_RECIPE } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { backup, readyConfig, restore } from "../testing/samples.ts";
import { resolveSource, type Sources, sourceObjects, sourceOf } from "./restore_source.ts";

const REPOSITORY = {
  kind: "Repository",
  name: "nas",
  namespace: "billing",
  uid: "uid-nas",
  uniqueID: "id-1",
};
const entry = (name: string, id: string) => ({
  kopiaSnapshotID: id,
  root: `root-${id}`,
  runID: "run-1",
  identity: { username: "data", hostname: "billing", sourcePath: `/pvc/${name}` },
  pvc: `billing/${name}`,
  fidelity: "Full",
  owner: { uid: 1000, gid: 1000 },
});
const succeeded = {
  phase: "Succeeded",
  resolved: { repository: REPOSITORY },
  snapshots: [entry("data", "k1")],
  timing: { startTime: "2026-05-23T00:00:00Z" },
};

const resolve = (more: Partial<Sources> = {}) => resolveSource({ restore: restore(), now: NOW, ...more });
const of = (source: RestoreSpec["source"], more: Partial<RestoreSpec> = {}) =>
  restore({ spec: { source, ...more } });

describe("resolveSource()", () => {
  test("a Backup that succeeded is pinned, with all that finds its snapshot again", () => {
    expect(resolve({ backup: backup({ status: succeeded }) })).toEqual({
      ok: true,
      value: {
        type: "Pinned",
        pinned: {
          backupRef: { name: "first", namespace: "billing" },
          repository: REPOSITORY,
          identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
          snapshotID: "k1",
          root: "root-k1",
          runID: "run-1",
          fidelity: "Full",
          owner: { uid: 1000, gid: 1000 },
          snapshotTime: "2026-05-23T00:00:00Z",
          pinnedAt: AT,
        },
      },
    });
  });

  test("of several volumes the named one is taken", () => {
    const both = backup({ status: { ...succeeded, snapshots: [entry("data", "k1"), entry("logs", "k2")] } });
    const named = of({ backupRef: { name: "first", pvc: "logs" } });
    expect(resolve({ restore: named, backup: both })).toMatchObject({
      value: { pinned: { snapshotID: "k2" } },
    });
    expect(resolve({ backup: both })).toMatchObject({ ok: false, error: { reason: "VolumeAmbiguous" } });
    expect(resolve({ backup: both, target: "data" })).toMatchObject({
      value: { pinned: { snapshotID: "k1" } },
    });
  });

  test("what is pinned stays, whatever becomes of the source", () => {
    const pinned = { snapshotID: "k0", pinnedAt: AT };
    expect(resolve({ pinned, forbidden: blocked("CrossNamespaceForbidden", "no") })).toEqual({
      ok: true,
      value: { type: "Pinned", pinned },
    });
  });

  test("a recipe is asked for in the repository, under its identity", () => {
    const source = { fromConfig: { name: "data", asOf: "2026-05-01T00:00:00Z", offset: 2 } };
    expect(resolve({ restore: of(source), config: readyConfig() })).toEqual({
      ok: true,
      value: {
        type: "Ask",
        repository: { kind: "Repository", name: "nas", namespace: "billing" },
        identity: { username: "data", hostname: "billing", path: "/pvc/data" },
        point: { asOf: "2026-05-01T00:00:00Z", offset: 2 },
        startEmpty: "IfNew",
        backedUpBefore: false,
        shrink: { maxShrinkPercent: 50, known: new Map() },
      },
    });
  });

  test("a recipe's rule says when a snapshot is too small, and which small one somebody accepted", () => {
    const config = readyConfig({
      metadata: { annotations: { [ANNOTATIONS.acknowledgeShrink]: "small" } },
      spec: { retention: { keepDaily: 7, maxShrinkPercent: 80 } },
    });
    const status = { snapshots: [{ runID: "run-9" }], timing: { startTime: AT } };
    const made = [backup({ metadata: { name: "small" }, status })];
    const source = { fromConfig: { name: "data", offset: 0 } };
    const from = (one: readonly Backup[]) => resolve({ restore: of(source), config, made: one });
    expect(from(made)).toMatchObject({
      value: { shrink: { maxShrinkPercent: 80, accepted: "run-9", measuredFrom: Date.parse(AT) } },
    });
    expect(from([])).toMatchObject({ value: { shrink: { measuredFrom: Number.POSITIVE_INFINITY } } });
  });

  test("Backups tell which runs they measured, and which of them found the volume far smaller", () => {
    const sized = (day: number, sizeBytes: number) =>
      backup({
        metadata: { name: `day-${day}`, uid: `uid-${day}` },
        status: {
          phase: "Succeeded",
          timing: { startTime: `2026-05-0${day}T00:00:00Z` },
          snapshots: [{ pvc: "billing/data", runID: `run-${day}`, sizeBytes }],
        },
      });
    const source = { fromConfig: { name: "data", offset: 0 } };
    const made = [sized(1, 100), sized(2, 100), sized(3, 1)];
    const found = resolve({ restore: of(source), config: readyConfig(), made });
    const known = new Map<string, unknown>([
      ["run-1", undefined],
      ["run-2", undefined],
      ["run-3", { measure: "bytes", size: 1, usual: 100 }],
    ]);
    expect(found).toMatchObject({ value: { shrink: { known } } });
  });

  test("a repository is the one that the recipe's own namespace means, or one of the whole cluster", () => {
    const source = { fromConfig: { name: "data", namespace: "shop", offset: 0 } };
    const there = readyConfig({ metadata: { namespace: "shop" } });
    expect(resolve({ restore: of(source), config: there })).toMatchObject({
      value: { repository: { kind: "Repository", name: "nas", namespace: "shop" } },
    });
    const shared = readyConfig({ spec: { repository: { kind: "ClusterRepository", name: "nas" } } });
    expect(resolve({ restore: of(source), config: shared })).toMatchObject({
      value: { repository: { kind: "ClusterRepository", name: "nas" } },
    });
  });

  const ready = readyConfig();
  const edited = (spec: object, generation = 1) => ({
    ...ready,
    metadata: { ...ready.metadata, generation },
    spec: { ...ready.spec, ...spec },
  });
  const recipe = of({ fromConfig: { name: "data", offset: 0 } });

  test.each([
    ["another repository", edited({ repository: { kind: "Repository", name: "other" } })],
    ["another namespace", edited({ repository: { kind: "Repository", name: "nas", namespace: "shop" } })],
    ["one of the whole cluster", edited({ repository: { kind: "ClusterRepository", name: "nas" } })],
    ["another username", edited({ identity: { username: "other" } })],
    ["another hostname", edited({ identity: { hostname: "shop" } })],
    [
      "another path",
      edited({
        sources: [{ pvc: { name: "data" }, sourcePathStrategy: "PVCName", sourcePathOverride: "/data" }],
      }),
    ],
    [
      "other paths of what it selects",
      edited({ sources: [{ pvcSelector: {}, sourcePathStrategy: "PVCNamespacedName" }] }),
    ],
    ["something that nobody has looked at", edited({}, 2)],
    [
      "nothing, and was resolved to no repository",
      readyConfig({ status: { resolved: { identity: ready.status?.resolved?.identity } } }),
    ],
  ])(
    "a recipe is waited for that was edited to %s: nobody is asked for an old identity there",
    (_, config) => {
      expect(resolve({ restore: recipe, config })).toMatchObject({
        ok: false,
        error: { reason: "ConfigNotReady", class: "transient" },
      });
    },
  );

  describe("of a recipe that selects its claims, which has found one", () => {
    const selecting = readyConfig({
      spec: { sources: [{ pvcSelector: { labelSelector: {} }, sourcePathStrategy: "PVCName" }] },
    });
    const found = selecting.status?.resolved?.identity;
    const more = [...(found?.sources ?? []), { pvc: "billing/cache", sourcePath: "/pvc/cache" }];
    const both = readyConfig({
      spec: selecting.spec,
      status: { resolved: { ...selecting.status?.resolved, identity: { ...found, sources: more } } },
    });
    const naming = (which: object) => of({ fromConfig: { name: "data", offset: 0, ...which } });
    const forClaims = ({ spec: { target: _, ...spec }, ...rest }: Restore): Restore => ({ ...rest, spec });
    const unknown = { reason: "VolumeUnknown", class: "terminal" };
    const unclear = { reason: "VolumeAmbiguous", class: "terminal" };
    const late = { reason: "VolumeNotSelected", class: "structural" };

    test.each<[string, Partial<Sources>, object]>([
      ["a claim of its name is born with it", { restore: forClaims(recipe), target: "data" }, {}],
      ["another that is born waits", { restore: forClaims(recipe), target: "logs" }, late],
      ["so does one for which another is named", { restore: forClaims(naming({ pvc: "logs" })) }, late],
      ["a target of another name has to say so", { restore: recipe, target: "data-copy" }, unclear],
      [
        "a target of another name gets what it says",
        { restore: naming({ pvc: "data" }), target: "copy" },
        {},
      ],
      ["a claim that nobody knows is refused", { restore: naming({ pvc: "dta" }), target: "data" }, unknown],
      ["so is a path", { restore: naming({ sourcePath: "/dta" }), target: "data" }, unknown],
      ["a target has to say which of two", { restore: recipe, config: both, target: "copy" }, unclear],
      ["a namesake says it", { restore: recipe, config: both, target: "data" }, {}],
    ])("%s", (_, given, error) => {
      const resolved = resolve({ config: selecting, target: "data", ...given });
      const wanted = "reason" in error ? { error } : { value: { identity: { path: "/pvc/data" } } };
      expect(resolved).toMatchObject(wanted);
      if (!resolved.ok) expect(resolved.error.message).toContain("billing/data (/pvc/data)");
    });

    test("what is refused can be had by other names", () => {
      const refusal = resolve({ config: selecting, restore: naming({ pvc: "dta" }) });
      expect(refusal).toMatchObject({
        error: { message: expect.stringMatching(/dta.*source\.identity.*source\.backupRef/) },
      });
    });
  });

  test("a recipe that cannot be run any more, as its claims are gone, is still restored from", () => {
    const broken = readyConfig({ status: { phase: "Failed" } });
    expect(resolve({ restore: recipe, config: broken })).toMatchObject({ value: { type: "Ask" } });
  });

  const identity = { username: "u", hostname: "h", sourcePath: "/p" };
  const repository = { kind: "Repository", name: "nas" } as const;

  test("an identity is asked for, unless its snapshot is named", () => {
    expect(resolve({ restore: of({ identity }, { repository }) })).toMatchObject({
      value: { type: "Ask", repository, identity: { username: "u", hostname: "h", path: "/p" } },
    });
    expect(
      resolve({ restore: of({ identity: { ...identity, snapshotID: "k7" } }, { repository }) }),
    ).toMatchObject({
      value: {
        type: "Pinned",
        pinned: { snapshotID: "k7", repository: { name: "nas", namespace: "billing" } },
      },
    });
  });

  test.each<[string, Partial<Sources>, string, string]>([
    ["there is no Backup", {}, "BackupNotFound", "transient"],
    ["the Backup has not begun", { backup: backup() }, "BackupNotFinished", "transient"],
    [
      "the Backup runs",
      { backup: backup({ status: { phase: "Running" } }) },
      "BackupNotFinished",
      "transient",
    ],
    ["the Backup failed", { backup: backup({ status: { phase: "Failed" } }) }, "BackupUnusable", "terminal"],
    [
      "the Backup was made beside its recipe, which is elsewhere",
      {
        backup: backup({ status: { phase: "Succeeded", backupRef: { namespace: "shop", name: "first-1" } } }),
      },
      "BackupElsewhere",
      "terminal",
    ],
    [
      "the Backup was made by one in each of several namespaces",
      {
        backup: backup({
          status: {
            phase: "Succeeded",
            backupRefs: [{ namespace: "shop", name: "first-1", phase: "Succeeded" }],
          },
        }),
      },
      "BackupElsewhere",
      "terminal",
    ],
    [
      "the recipe is repeated in several namespaces, though it was recorded itself before",
      {
        restore: of({ fromConfig: { name: "data", offset: 0 } }),
        config: readyConfig({
          spec: {
            sources: [
              {
                pvcSelector: { namespaceSelector: { matchNames: ["shop"] } },
                sourcePathStrategy: "PVCName",
              },
            ],
          },
        }),
      },
      "ConfigElsewhere",
      "terminal",
    ],
    [
      "the Backup is going",
      { backup: backup({ metadata: { deletionTimestamp: AT }, status: succeeded }) },
      "BackupUnusable",
      "terminal",
    ],
    [
      "there is no recipe",
      { restore: of({ fromConfig: { name: "data", offset: 0 } }) },
      "ConfigNotFound",
      "transient",
    ],
    [
      "nobody consents to the use of a Backup of another namespace",
      { backup: backup({ status: succeeded }), forbidden: blocked("CrossNamespaceForbidden", "no") },
      "CrossNamespaceForbidden",
      "structural",
    ],
    ["an identity has no repository", { restore: of({ identity }) }, "RepositoryMissing", "terminal"],
  ])("says so when %s", (_, more, reason, failureClass) => {
    expect(resolve(more)).toMatchObject({ ok: false, error: { reason, class: failureClass } });
  });
});

describe("sourceOf()", () => {
  const queued = { phase: "Pending", conditions: [{ type: "Ready", reason: "Queued" }] };
  test.each<[boolean, string, object | undefined]>([
    [true, "is being made", { phase: "Running" }],
    [true, "waits for its turn", queued],
    [false, "nobody has begun", undefined],
    [false, "has ended", { phase: "Failed" }],
  ])("says %s of the wait for a Backup that %s", (expected, _, status) => {
    const waited = backup(status ? { status } : {});
    expect(sourceOf({ restore: restore(), backup: waited, now: NOW }).isUnderWay).toBe(expected);
  });
});

describe("a volume without a snapshot", () => {
  const fromConfig = { fromConfig: { name: "data", offset: 0 } };
  const config = readyConfig({ status: { lastSuccessfulBackup: { name: "first", at: AT } } });
  const made = (...claims: readonly string[]) => {
    const identity = { username: "data", hostname: "billing", sourcePath: "/before" };
    const snapshots = claims.map((pvc) => ({ kopiaSnapshotID: "k1", identity, pvc }));
    return [backup({ status: { phase: "Succeeded", snapshots } })];
  };

  test.each<[string, RestoreSpec["source"], "Fail" | "Continue" | undefined]>([
    ["IfNew", fromConfig, undefined],
    ["Never", fromConfig, "Fail"],
    ["Always", fromConfig, "Continue"],
    ["Never", { identity: { username: "u", hostname: "h", sourcePath: "/p" } }, undefined],
    ["Always", { identity: { username: "u", hostname: "h", sourcePath: "/p" } }, "Continue"],
  ])("starts empty %s, with the source %j and the policy %s", (startEmpty, source, onMissingSnapshot) => {
    const policy = { waitTimeout: "5m", ...(onMissingSnapshot ? { onMissingSnapshot } : {}) };
    const repository = { kind: "Repository", name: "nas" } as const;
    const asking = of(source, { policy, repository });
    expect(resolve({ restore: asking, config })).toMatchObject({ value: { type: "Ask", startEmpty } });
  });

  test.each<[boolean, string, Partial<Sources>]>([
    [true, "a Backup holds the volume", { config, made: made("billing/logs", "billing/data") }],
    [true, "a Backup holds it that nobody has counted yet", { made: made("billing/data") }],
    [true, "its newest Backup is gone, which may have held it", { config, made: [] }],
    [false, "its Backups hold other volumes alone", { config, made: made("billing/logs") }],
    [false, "it has not succeeded yet", { made: [backup({ status: { phase: "Failed" } })] }],
  ])("was backed up before: %s, where %s", (backedUpBefore, _, more) => {
    const found = resolve({ restore: of(fromConfig), config: readyConfig(), ...more });
    expect(found).toMatchObject({ value: { type: "Ask", backedUpBefore } });
  });
});

describe("sourceObjects()", () => {
  const first = backup();
  const config = readyConfig();
  const ports = {
    caches: {
      configs: { get: (key: string) => (key === "billing/data" ? config : undefined) },
      backups: {
        get: (key: string) => (key === "billing/first" ? first : undefined),
        indexed: (index: string, key: string) =>
          index === BY_RECIPE && key === "billing/data" ? [first] : [],
      },
    },
    lookup: { configsOf: () => [] },
    settings: SETTINGS,
  } as unknown as KopiurPorts;

  test("a BackupConfig is looked up with the Backups that it made", () => {
    const found = sourceObjects(ports, of({ fromConfig: { name: "data", offset: 0 } }));
    expect(found).toMatchObject({ config, made: [first] });
  });

  test("a Backup is looked up alone", () => {
    const found = sourceObjects(ports, restore());
    expect(found).toMatchObject({ backup: first });
    expect([found.config, found.made]).toEqual([undefined, undefined]);
  });
});
