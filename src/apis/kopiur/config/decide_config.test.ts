import { describe, expect, test } from "vitest";
import { blocked } from "../../../core/reconcile/problem.ts";
import { lendingProblem } from "../../../core/repository/access.ts";
import { NOW, SETTINGS } from "../../../core/testing/samples.ts";
import { primeMeta } from "../../../core/volumes/populator/population_marks.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig, BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { err, ok } from "../../../lib/result.ts";
import { type AnyRepository, readyRepository } from "../references.ts";
import { clusterRepository, config, RESOLVED_IDENTITY, readyNas, repository } from "../testing/samples.ts";
import { decideConfig, type ObservedConfig } from "./decide_config.ts";

const useOf = (found: AnyRepository | undefined) => ({
  repository: found,
  ready: readyRepository(found, "billing/nas" as ObjectKey),
});

const decide = (object = config(), found: AnyRepository = readyNas(), more: Partial<ObservedConfig> = {}) =>
  decideConfig({
    config: object,
    use: useOf(found),
    others: [],
    claims: [],
    consent: false,
    now: NOW,
    ...more,
  });

const readyOf = (decision: ReturnType<typeof decide>) =>
  decision.status?.conditions?.find(({ type }) => type === "Ready");

describe("decideConfig()", () => {
  const sourcePathStrategy = "PVCName";

  test("one of a read-only repository cannot be run, and can be restored from", () => {
    const decision = decide(config(), readyNas({ spec: { access: { readOnly: true } } }));
    expect(decision.status).toMatchObject({ phase: "Failed", resolved: { identity: RESOLVED_IDENTITY } });
    expect(readyOf(decision)).toMatchObject({
      status: "False",
      reason: "RepositoryReadOnly",
      message: expect.stringContaining("Repository billing/nas takes no backups: it is read-only"),
    });
  });

  test("one whose movers could not have the credentials cannot be run, and can be restored from", () => {
    const lending = lendingProblem(clusterRepository(), { namespace: "billing", settings: SETTINGS });
    const decision = decide(config(), readyNas(), { lending });
    expect(decision.status).toMatchObject({ phase: "Failed", resolved: { identity: RESOLVED_IDENTITY } });
    expect(readyOf(decision)).toMatchObject({
      status: "False",
      reason: "LendingOff",
      message:
        "A run in namespace billing needs Secret platform/shared-creds, and the operator may not read Secrets to lend them. Set lendSecrets.enabled=true in the chart's values, or use a repository with Secrets of namespace billing.",
    });
    const lent = { namespace: "billing", settings: { ...SETTINGS, lendSecrets: true } };
    expect(lendingProblem(clusterRepository(), lent)).toBeUndefined();
  });

  test("a BackupConfig that can be run says what a run would use", () => {
    const decision = decide();
    expect(decision.status).toMatchObject({
      phase: "Ready",
      observedGeneration: 1,
      resolved: {
        repository: {
          kind: "Repository",
          name: "nas",
          namespace: "billing",
          uid: "uid-nas",
          uniqueID: "id-1",
        },
        identity: RESOLVED_IDENTITY,
      },
    });
    expect(readyOf(decision)).toMatchObject({ status: "True", reason: "Resolved" });
  });

  test("one whose PVC is not there says so, and stays what its data is restored by", () => {
    const decision = decide(config(), readyNas(), { absent: ["data"] });
    expect(decision.status).toMatchObject({ phase: "Ready", resolved: { identity: RESOLVED_IDENTITY } });
    expect(readyOf(decision)?.message).toContain(
      "PVC data does not exist: its Backups wait until it is there",
    );
  });

  test.each<[string, BackupConfigSpec["sources"][number], string]>([
    ["its own name", { pvc: { name: "data" }, sourcePathStrategy: "PVCName" }, "/pvc/data"],
    [
      "its namespace too",
      { pvc: { name: "data" }, sourcePathStrategy: "PVCNamespacedName" },
      "/pvc/billing/data",
    ],
    [
      "what was chosen",
      { pvc: { name: "data" }, sourcePathStrategy: "PVCName", sourcePathOverride: "/data" },
      "/data",
    ],
  ])("a claim is recorded under %s", (_, source, sourcePath) => {
    const decision = decide(config({ spec: { sources: [source] } }));
    expect(decision.status?.resolved?.identity?.sources).toEqual([{ pvc: "billing/data", sourcePath }]);
  });

  test("a repository that is not there, or not ready, is waited for", () => {
    const missing = decide(config(), readyNas(), { use: useOf(undefined) });
    expect(missing).toMatchObject({ status: { phase: "Pending" }, wakeAt: NOW + 30_000 });
    expect(readyOf(missing)).toMatchObject({ reason: "RepositoryNotFound" });
    const conditions = [
      {
        type: "Ready",
        status: "False",
        reason: "Unreachable",
        message: "it is away.",
        lastTransitionTime: "",
      },
    ];
    const broken = decide(config(), repository({ status: { phase: "Failed", conditions } }));
    expect(readyOf(broken)).toMatchObject({
      reason: "RepositoryNotReady",
      message: "Repository billing/nas is not ready: it is away.",
    });
  });

  test("a repository that changed its mind is reflected", () => {
    const conditions = [
      {
        type: "Connected",
        status: "False",
        reason: "Unreachable",
        message: "it is away.",
        lastTransitionTime: "",
      },
    ];
    const decision = decide(config(), readyNas({ status: { conditions } }));
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "RepositoryReachable", status: "False", reason: "Unreachable" }),
    );
  });

  const privileged = { mover: { privilegedMode: true } };
  test.each<[string, Partial<BackupConfigSpec>, AnyRepository]>([
    ["its own", privileged, readyNas()],
    ["its repository's", {}, readyNas({ spec: { moverDefaults: privileged.mover } })],
  ])("privileges of %s that its namespace does not allow stop it until they are", (_, spec, found) => {
    const refused = decide(config({ spec }), found);
    expect(refused).toMatchObject({
      status: { phase: "Failed", resolved: { identity: RESOLVED_IDENTITY } },
      wakeAt: NOW + 300_000,
    });
    expect(readyOf(refused)).toMatchObject({
      status: "False",
      reason: "PrivilegedMoverForbidden",
      message: expect.stringContaining("Annotate the namespace"),
    });
    expect(decide(config({ spec }), found, { consent: true }).status?.phase).toBe("Ready");
  });

  test("one whose volumes cannot be captured as it says cannot be run, and its snapshots can be restored", () => {
    const capture = blocked("SnapshotsUnsupported", "m");
    const cannot = decide(config(), readyNas(), { capture });
    expect(cannot).toMatchObject({
      status: { phase: "Failed", resolved: { identity: RESOLVED_IDENTITY } },
      wakeAt: NOW + 300_000,
    });
    expect(readyOf(cannot)).toMatchObject({ status: "False", reason: "SnapshotsUnsupported", message: "m" });
  });

  test("a driver that cannot capture all volumes at one moment is told, as long as that is asked for", () => {
    const group = err(blocked("GroupSnapshotUnsupported", "m"));
    const told = (object: BackupConfig, more: Partial<ObservedConfig>) => decide(object, readyNas(), more);
    const cannot = told(config(), { group });
    expect(cannot).toMatchObject({
      status: { phase: "Failed", resolved: { identity: RESOLVED_IDENTITY } },
      wakeAt: NOW + 300_000,
    });
    expect(readyOf(cannot)).toMatchObject({
      status: "False",
      reason: "GroupSnapshotUnsupported",
      message: "m",
    });
    const condition = { type: "GroupSnapshotSupported", status: "False", reason: "GroupSnapshotUnsupported" };
    expect(cannot.status?.conditions).toContainEqual(expect.objectContaining(condition));
    const can = told(config({ status: cannot.status ?? {} }), { group: ok(true) });
    expect(can.status?.phase).toBe("Ready");
    expect(can.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "GroupSnapshotSupported", status: "True" }),
    );
    const unasked = told(config({ status: cannot.status ?? {} }), {});
    expect(unasked.status?.conditions?.map(({ type }) => type)).not.toContain("GroupSnapshotSupported");
  });

  describe("an identity, once resolved, is pinned", () => {
    const status = { resolved: { identity: RESOLVED_IDENTITY } };
    const spec = { identity: { username: "other" } };

    test("another one is refused, and the pinned one stays", () => {
      const decision = decide(config({ spec, status }));
      expect(readyOf(decision)).toMatchObject({
        reason: "IdentityChanged",
        message: expect.stringContaining("acknowledge-identity-change=other@billing"),
      });
      expect(decision.status?.resolved?.identity).toEqual(RESOLVED_IDENTITY);
    });

    test("an acknowledged one is taken", () => {
      const annotations = { [ANNOTATIONS.acknowledgeIdentity]: "other@billing" };
      const decision = decide(config({ metadata: { annotations }, spec, status }));
      expect(decision.status?.resolved?.identity?.username).toBe("other");
    });

    test("the acknowledgement of another change does not count", () => {
      const annotations = { [ANNOTATIONS.acknowledgeIdentity]: "third@billing" };
      expect(readyOf(decide(config({ metadata: { annotations }, spec, status })))?.reason).toBe(
        "IdentityChanged",
      );
    });

    const otherwise = { sourcePathStrategy: "PVCNamespacedName" } as const;
    test.each<[string, BackupConfigSpec["sources"], string]>([
      ["chosen", [{ pvc: { name: "data" }, ...otherwise, sourcePathOverride: "/data" }], "/data"],
      ["named otherwise", [{ pvc: { name: "data" }, ...otherwise }], "/pvc/billing/data"],
      ["selected", [{ pvcSelector: {}, ...otherwise }], "/pvc/billing/data"],
    ])("so is the path of a claim: another one that is %s has to be acknowledged", (_, sources, path) => {
      const claims = [config({ metadata: { name: "data" } })];
      const decided = (annotations: Readonly<Record<string, string>>) =>
        decide(config({ metadata: { annotations }, spec: { sources }, status }), readyNas(), { claims });
      const unasked = decided({ [ANNOTATIONS.acknowledgeIdentity]: "data@billing" });
      expect(unasked.status?.phase).toBe("Failed");
      expect(readyOf(unasked)).toMatchObject({
        reason: "IdentityChanged",
        message: expect.stringContaining(`acknowledge-identity-change=data@billing:${path}`),
      });
      expect(unasked.status?.resolved?.identity).toEqual(RESOLVED_IDENTITY);
      const accepted = decided({ [ANNOTATIONS.acknowledgeIdentity]: `data@billing:${path}` });
      expect(accepted.status).toMatchObject({
        phase: "Ready",
        resolved: { identity: { sources: [{ pvc: "billing/data", sourcePath: path }] } },
      });
    });
  });

  test("the claims that others are filled through take no room among those that it selects", () => {
    const claims = Array.from({ length: 9 }, (_, n) =>
      config({ metadata: { name: `c${n}`, uid: `uid-c${n}` } }),
    );
    const source = { resource: restoreResource, name: "again", uid: "uid-again" };
    const primes = claims.map((claim) => config({ metadata: primeMeta(claim, source) }));
    const selecting = config({ spec: { sources: [{ pvcSelector: {}, sourcePathStrategy }] } });
    const { status } = decide(selecting, readyNas(), { claims: [...primes, ...claims] });
    expect(status?.phase).toBe("Ready");
    expect(status?.resolved?.identity?.sources).toHaveLength(9);
  });

  test.each(["Snapshot", "Clone", "Direct"] as const)("copyMethod %s can be run", (copyMethod) => {
    expect(decide(config({ spec: { copyMethod } })).status?.phase).toBe("Ready");
  });

  test.each<[string, Partial<BackupConfigSpec>, string]>([
    [
      "a path that is recorded twice",
      {
        sources: [
          { pvc: { name: "data" }, sourcePathStrategy },
          { pvc: { name: "more" }, sourcePathStrategy, sourcePathOverride: "/pvc/data" },
        ],
      },
      "IdentityCollision",
    ],
    [
      "an argument that is decided elsewhere",
      { policy: { ...config().spec.policy, extraArgs: ["--keep-latest=1"] } },
      "ExtraArgForbidden",
    ],
    ["a selector that selects nothing", { sources: [{ pvcSelector: {}, sourcePathStrategy }] }, "NoSources"],
    [
      "restic's compressor on kopia",
      { policy: { ...config().spec.policy, compression: { compressor: "max" } } },
      "Unsupported",
    ],
    ["a bad identity", { identity: { username: "a@b" } }, "InvalidIdentity"],
  ])("%s is refused with a reason, not left out in silence", (_, spec, reason) => {
    const decision = decide(config({ spec }));
    expect(decision.status?.phase).toBe("Failed");
    expect(readyOf(decision)).toMatchObject({ status: "False", reason });
    expect(decision.events).toMatchObject([{ type: "Warning", reason }]);
  });

  test("the same words as at the door say what, why and what to do", () => {
    const policy = { ...config().spec.policy, compression: { compressor: "max" as const } };
    expect(readyOf(decide(config({ spec: { policy } })))?.message).toMatch(
      /^Kopia cannot compress with max: it has no such compressor\. Choose one of none, zstd/,
    );
  });

  test("what it may not use stops it", () => {
    const problem = blocked("NamespaceNotAllowed", "m");
    const use = { repository: clusterRepository(), ready: err(problem) };
    const decision = decide(config(), readyNas(), { use });
    expect(readyOf(decision)).toMatchObject({ status: "False", reason: "NamespaceNotAllowed" });
    expect(decision.wakeAt).toBe(NOW + 300_000);
    const crossing = blocked("CrossNamespaceForbidden", "m");
    expect(readyOf(decide(config(), readyNas(), { crossing }))?.reason).toBe("CrossNamespaceForbidden");
    const store = { reason: "HoldsRepository", field: "f", what: "w", why: "y", fix: "f" };
    expect(readyOf(decide(config(), readyNas(), { store }))?.reason).toBe("HoldsRepository");
  });

  describe("of a ClusterRepository", () => {
    const status = { phase: "Ready", uniqueID: "id-1" };
    const identityDefaults = {
      hostnameTemplate: "prod-{{ .Namespace }}",
      usernameTemplate: "{{ .ConfigName }}-x",
    };
    const shared = clusterRepository({ spec: { identityDefaults }, status });

    test("gets its identity from the templates, unless it has one of its own", () => {
      const { resolved } = decide(config(), shared).status ?? {};
      expect(resolved?.identity).toMatchObject({ username: "data-x", hostname: "prod-billing" });
      expect(resolved?.repository).toEqual({
        kind: "ClusterRepository",
        name: "shared",
        uid: "uid-shared",
        uniqueID: "id-1",
      });
      const own = decide(config({ spec: { identity: { hostname: "own" } } }), shared).status?.resolved;
      expect(own?.identity).toMatchObject({ username: "data-x", hostname: "own" });
    });

    test("an identity from changed templates is not taken in silence", () => {
      const pinned = { resolved: { identity: RESOLVED_IDENTITY } };
      expect(readyOf(decide(config({ status: pinned }), shared))?.reason).toBe("IdentityChanged");
    });
  });

  describe("two BackupConfigs that record the same path under one identity", () => {
    const spec = { identity: { username: "app", hostname: "host" } };
    const first = config({ metadata: { name: "first", creationTimestamp: "2026-05-01T00:00:00Z" }, spec });
    const second = config({ metadata: { name: "second", creationTimestamp: "2026-05-02T00:00:00Z" }, spec });
    const others = [first, second];

    test("the later one gives way, and says to whom", () => {
      expect(decide(first, readyNas(), { others }).status?.phase).toBe("Ready");
      const decision = decide(second, readyNas(), { others });
      expect(decision.status?.phase).toBe("Failed");
      expect(readyOf(decision)).toMatchObject({
        reason: "IdentityCollision",
        message: expect.stringContaining("BackupConfig first records the same path"),
      });
    });

    test("also where a selector brings them together", () => {
      const selector = { sources: [{ pvcSelector: {}, sourcePathStrategy }] } as const;
      const selecting = config({ ...second, spec: { ...spec, ...selector } });
      const claims = [config({ metadata: { name: "data" } })];
      const decision = decide(selecting, readyNas(), { others, claims });
      expect(readyOf(decision)?.reason).toBe("IdentityCollision");
    });
  });

  test("restic cannot leave files uncompressed by name", () => {
    const policy = { ...config().spec.policy, compression: { neverCompress: ["*.zip"] } };
    const decision = decide(config({ spec: { policy } }), readyNas({ spec: { engine: "restic" } }));
    expect(readyOf(decision)?.reason).toBe("Unsupported");
  });
});
