import { describe, expect, test } from "vitest";
import type { KnownBackups } from "../../core/catalog/truth/known_backups.ts";
import type { Claim } from "../../core/volumes/claim_request.ts";
import { plumberWebhooks } from "./admission/plumber_webhooks.ts";
import { MatrixStage } from "./testing/matrix_stage.ts";

const NONE: KnownBackups = new Map();
const KNOWN: KnownBackups = new Map([["media/data", { newestAt: "2026-01-01T00:00:00Z" }]]);
const AWAY = {
  readAt: undefined,
  problem: { reason: "Unreachable", message: "The storage does not answer." },
};
const SOURCE = { apiGroup: "kopiur.home-operations.com", kind: "Restore", name: "data-dst" };
const HOUR = 3_600_000;
const SKIP = { "pvc-plumber.io/skip-restore": "true" };
const LENIENT = ["audit", "permissive"] as const;

function stage(mode: string, settings: object = {}): MatrixStage {
  return new MatrixStage({ mode, ...settings });
}

/** One whose list of backups was read, long ago if `stale`. */
async function known(mode: string, backups: KnownBackups, stale = false): Promise<MatrixStage> {
  const one = stage(mode);
  one.sample.publish(backups);
  if (stale) await one.sample.clock.advance(121_000);
  return one;
}

function away(mode: string): MatrixStage {
  const one = stage(mode);
  one.sample.publish(NONE, AWAY);
  return one;
}

const counted = (operation: string, value = 1) => `pvc_plumber_${operation} ${value}`;
const request = (result: string, mode: string) =>
  counted(`admission_requests_total{operation="CREATE",result="${result}",mode="${mode}"}`);
const denial = (reason: string, mode: string) =>
  counted(`admission_denied_total{reason="${reason}",mode="${mode}"}`);

function stored(one: MatrixStage, claim: Claim, age: number, phase: string, more: object = {}): Claim {
  const creationTimestamp = new Date(one.sample.clock.now() - age).toISOString();
  const object = {
    ...claim,
    metadata: { ...claim.metadata, creationTimestamp },
    spec: { ...claim.spec, ...more },
    status: { phase },
  } as Claim;
  one.sample.store(object);
  return object;
}

describe("the document's matrix of failures", () => {
  test("1: a fresh application without a backup starts empty", async () => {
    for (const mode of ["audit", "permissive", "enforce", "strict"]) {
      const one = await known(mode, NONE);
      const claim = one.sample.claim("data");
      expect(await one.admit(claim)).toMatchObject({ allowed: true, source: undefined, warnings: [] });
      expect(await one.metrics("admission_requests")).toEqual([request("allowed", mode)]);
      await one.reconcile(stored(one, claim, 0, "Pending"));
      expect(one.events).toContain("BackupStateKnown");
    }
  });

  test("2: a PVC with a backup is restored from it", async () => {
    for (const mode of ["permissive", "enforce", "strict"]) {
      const one = await known(mode, KNOWN);
      const claim = one.sample.claim("data");
      expect(await one.admit(claim)).toMatchObject({ allowed: true, source: "data-dst" });
      expect(await one.metrics("admission_requests", "restore_inj", "backup_ex")).toEqual([
        request("injected", mode),
        counted("restore_injections_total"),
        counted("backup_exists_total"),
      ]);
      await one.reconcile(stored(one, claim, 0, "Pending", { dataSourceRef: SOURCE }));
      expect(one.events).toContain("RestoreInjected");
    }
  });

  test("3: while the repository is away, strict denies", async () => {
    for (const mode of ["strict", "enforce"]) {
      const one = away(mode);
      const { allowed, message } = await one.admit(one.sample.claim("data"));
      expect({ allowed, message }).toMatchObject({
        allowed: false,
        message: expect.stringMatching(/^BackupStateUnknown: .*The storage does not answer\./),
      });
      expect(one.events).toEqual(["RestoreDenied"]);
      expect(await one.metrics("admission_denied", "backup_unk")).toEqual([
        denial("BackupStateUnknown", mode),
        counted("backup_unknown_total"),
      ]);
    }
  });

  test.each(LENIENT)(
    "4: while the repository is away, %s lets it start empty, with a warning",
    async (mode) => {
      const one = away(mode);
      const claim = one.sample.claim("data");
      expect(await one.admit(claim)).toMatchObject({
        allowed: true,
        source: undefined,
        warnings: [expect.stringContaining("nobody knows whether media/data has a backup")],
      });
      await one.reconcile(stored(one, claim, 0, "Pending"));
      expect(one.events).toContain("BackupStateUnknown");
      expect(await one.metrics("backup_unk")).toEqual([counted("backup_unknown_total")]);
    },
  );

  test("5: with a stale list strict denies, whatever it says", async () => {
    for (const backups of [NONE, KNOWN]) {
      const one = await known("strict", backups, true);
      expect(await one.admit(one.sample.claim("data"))).toMatchObject({
        allowed: false,
        message: expect.stringMatching(/^CacheStale: /),
      });
      expect(await one.metrics("admission_denied")).toEqual([denial("CacheStale", "strict")]);
      expect(await one.metrics("cache_age")).toEqual([
        counted('cache_age_seconds{repo="ClusterRepository pvc-plumber"}', 121),
      ]);
    }
  });

  test.each(LENIENT)("6: with a stale list %s lets it start empty, with a warning", async (mode) => {
    const one = await known(mode, NONE, true);
    const { allowed, source, warnings } = await one.admit(one.sample.claim("data"));
    expect({ allowed, source }).toEqual({ allowed: true, source: undefined });
    expect(warnings).toEqual([expect.stringContaining("The list of backups is too old")]);
  });

  test("7: strict denies the second PVC with a backup identity", async () => {
    const one = await known("strict", NONE);
    stored(one, one.sample.claim("data", {}, {}, "photos"), HOUR, "Bound");
    const second = one.sample.claim("data", { "pvc-plumber.io/backup-identity": "photos/data" });
    expect(await one.admit(second)).toMatchObject({
      allowed: false,
      message: expect.stringMatching(/^DuplicateBackupIdentity: PVC photos\/data has/),
    });
    expect(await one.metrics("admission_denied", "duplicate")).toEqual([
      denial("DuplicateBackupIdentity", "strict"),
      counted("duplicate_identity_total"),
    ]);
  });

  test.each(LENIENT)("8: %s warns of the second PVC with a backup identity", async (mode) => {
    const one = await known(mode, NONE);
    stored(one, one.sample.claim("data", {}, {}, "photos"), HOUR, "Bound");
    const second = one.sample.claim("data", { "pvc-plumber.io/backup-identity": "photos/data" });
    const { allowed, warnings } = await one.admit(second);
    expect(allowed).toBe(true);
    expect(warnings).toEqual([expect.stringContaining("PVC photos/data has the backup identity")]);
    await one.reconcile(stored(one, second, 0, "Pending"));
    expect(one.events).toContain("DuplicateBackupIdentity");
  });

  test("9: to skip a restore without a reason is denied", async () => {
    for (const mode of ["permissive", "enforce", "strict"]) {
      const one = await known(mode, KNOWN);
      expect(await one.admit(one.sample.claim("data", SKIP))).toMatchObject({
        allowed: false,
        message: expect.stringMatching(/^SkipWithoutReason: .* needs a reason/),
      });
      expect(one.events).toEqual(["RestoreDenied"]);
    }
  });

  test("10: to skip a restore with a reason is allowed, and told", async () => {
    for (const mode of ["permissive", "enforce", "strict"]) {
      const one = await known(mode, KNOWN);
      const claim = one.sample.claim("data", { ...SKIP, "pvc-plumber.io/skip-restore-reason": "a test" });
      expect(await one.admit(claim)).toMatchObject({ allowed: true, source: undefined });
      await one.reconcile(stored(one, claim, 0, "Pending"));
      expect(one.events).toContain("RestoreSkipped");
    }
  });

  test("11: the Restore is there before the PVC is admitted, or the PVC is denied", async () => {
    const one = await known("enforce", KNOWN);
    await one.admit(one.sample.claim("data"));
    expect(one.written).toEqual(["create Restore"]);
    one.refusal = new Error("the quota is used up");
    expect(await one.admit(one.sample.claim("data"))).toMatchObject({
      allowed: false,
      message: expect.stringContaining("Restore data-dst cannot be created: the quota is used up"),
    });
  });

  test("12: backups of a PVC that is being restored wait", async () => {
    const one = await known("enforce", KNOWN);
    const claim = one.sample.claim("data", { "pvc-plumber.io/trigger": "now" });
    await one.reconcile(stored(one, claim, 0, "Pending", { dataSourceRef: SOURCE }));
    expect(one.events).toContain("SourceGated");
    expect(one.written).not.toContain("create BackupSchedule");
    expect(one.written).not.toContain("create Backup");
    expect(await one.metrics("source_gated")).toEqual([
      counted('source_gated_total{state="waiting_for_restore"}'),
    ]);
  });

  test("13: backups of a PVC that was created empty wait for its minimum age, and a request does not", async () => {
    const one = await known("enforce", NONE);
    const claim = one.sample.claim("data");
    await one.reconcile(stored(one, claim, HOUR, "Bound"));
    expect(await one.metrics("source_gated")).toEqual([
      counted('source_gated_total{state="waiting_for_min_age"}'),
    ]);
    expect(one.written).not.toContain("create BackupSchedule");
    const asked = one.sample.claim("data", { "pvc-plumber.io/trigger": "now" });
    await one.reconcile(stored(one, asked, HOUR, "Bound"));
    expect(one.written).toContain("create Backup");
  });

  test("14: while the operator is down, PVCs are held by their labels and mode, and all others pass", () => {
    const { world } = stage("strict").sample;
    const webhooks = plumberWebhooks({ world } as Parameters<typeof plumberWebhooks>[0]);
    expect(webhooks.map(({ onFailure }) => onFailure)).toEqual(["deny", "deny", "allow", "allow"]);
    for (const { objectSelector } of webhooks) {
      expect(objectSelector?.matchLabels).toMatchObject({ "pvc-plumber.io/enabled": "true" });
    }
  });

  test("15: without VolSync's CRDs its output waits, and nothing else does", async () => {
    const one = stage("enforce", { output: "volsync" });
    one.sample.publish(NONE);
    one.sample.informers.unsync("replicationsources");
    const claim = one.sample.claim("data");
    expect(await one.admit(claim)).toMatchObject({ allowed: true });
    await one.reconcile(stored(one, claim, 3 * HOUR, "Bound"));
    expect(one.events).toContain("DependencyNotReady");
    expect(one.written).toEqual(["patch PersistentVolumeClaim"]);
  });

  test("16: without the Secret of the repository the schedule waits", async () => {
    const one = await known("enforce", NONE);
    const message = "its Secret kopia is missing";
    one.sample.informers.put("clusterrepositories", {
      kind: "ClusterRepository",
      metadata: { name: "pvc-plumber", uid: "u", resourceVersion: "1", creationTimestamp: "" },
      spec: {},
      status: {
        phase: "Failed",
        conditions: [
          { type: "Ready", status: "False", reason: "CredentialsMissing", message, lastTransitionTime: "" },
        ],
      },
    });
    await one.reconcile(stored(one, one.sample.claim("data"), 3 * HOUR, "Bound"));
    expect(one.events).toContain("WaitingForRepoSecret");
    expect(one.written).not.toContain("create BackupSchedule");
  });

  test("17: a PVC with a stable identity is restored in another namespace", async () => {
    const one = await known(
      "strict",
      new Map([["pvc-plumber/immich-library", { newestAt: "2026-01-01T00:00:00Z" }]]),
    );
    const identity = { "pvc-plumber.io/backup-identity": "immich-library" };
    for (const namespace of ["media", "photos"]) {
      const { allowed, source } = await one.admit(one.sample.claim("library", identity, {}, namespace));
      expect({ allowed, source }).toEqual({ allowed: true, source: "library-dst" });
    }
  });

  test("18: each PVC of an application has its own identity, objects and decision", async () => {
    const one = await known("enforce", KNOWN);
    const claims = ["config", "data", "media"].map((name) => one.sample.claim(name));
    const sources = [];
    for (const claim of claims) sources.push((await one.admit(claim)).source);
    expect(sources).toEqual([undefined, "data-dst", undefined]);
    for (const claim of claims) await one.reconcile(stored(one, claim, 3 * HOUR, "Bound"));
    expect(await one.metrics("generated_resources")).toEqual([
      counted('generated_resources_total{kind="BackupConfig"}', 3),
      counted('generated_resources_total{kind="Restore"}', 3),
    ]);
    expect(one.lines).toContainEqual(
      expect.objectContaining({
        namespace: "media",
        name: "config",
        identity: "media/config",
        tier: "hourly",
        mode: "enforce",
        decision: "BackupStateKnown",
      }),
    );
  });

  test("7, after admission: strict backs up only the PVC that an identity belongs to, and tells of the other", async () => {
    const one = await known("strict", NONE);
    const identity = { "pvc-plumber.io/backup-identity": "library" };
    const [first, second] = [
      one.sample.claim("data", identity),
      one.sample.claim("data", identity, {}, "photos"),
    ];
    for (const claim of [first, second]) await one.admit(claim);
    // Both came at the same moment: no name is older.
    const [older, younger] = [stored(one, first, 3 * HOUR, "Bound"), stored(one, second, 3 * HOUR, "Bound")];
    await one.reconcile(older);
    expect(one.events).not.toContain("DuplicateBackupIdentity");
    one.written.splice(0);
    await one.reconcile(younger);
    expect(one.events).toContain("DuplicateBackupIdentity");
    expect(one.written).toEqual(["patch PersistentVolumeClaim"]);
  });

  test("7, after an edit: the identity belongs to the PVC whose backups have it, however old the other is", async () => {
    const one = await known("strict", NONE);
    const { informers, world } = one.sample;
    const config = one.sample.claim(
      "data",
      { "pvc-plumber.io/backup-identity": "photos/data" },
      {},
      "photos",
    );
    const labels = { "app.kubernetes.io/managed-by": "pvc-plumber" };
    informers.put("backupconfigs", { kind: "BackupConfig", metadata: { ...config.metadata, labels } });
    const owner = stored(one, one.sample.claim("data", {}, {}, "photos"), 3 * HOUR, "Bound");
    const edited = one.sample.claim("data", { "pvc-plumber.io/backup-identity": "photos/data" });
    await one.admit(edited);
    const older = stored(one, edited, 9 * HOUR, "Bound");
    expect(world.observe(owner).source.state).toBe("ready");
    expect(world.observe(older).source).toMatchObject({
      state: "error",
      message: expect.stringContaining("PVC photos/data has the same backup identity"),
    });
  });

  test("a backup identity that nobody can read is no proof that there is no backup", async () => {
    const typo = { "pvc-plumber.io/backup-identity": "Media/Data" };
    for (const mode of ["enforce", "strict"]) {
      const one = await known(mode, NONE);
      expect(await one.admit(one.sample.claim("data", typo))).toMatchObject({
        allowed: false,
        message: expect.stringContaining('backup-identity is "Media/Data": it must be'),
      });
    }
    const lenient = await known("permissive", KNOWN);
    expect(await lenient.admit(lenient.sample.claim("data", typo))).toMatchObject({
      allowed: true,
      source: undefined,
    });
  });

  test("errors of the reconciler are counted by kind and reason", async () => {
    const one = await known("enforce", NONE);
    one.refusal = new Error("no");
    await expect(one.reconcile(stored(one, one.sample.claim("data"), 0, "Pending"))).rejects.toThrow("no");
    expect(await one.metrics("reconcile_errors")).toContainEqual(
      counted('reconcile_errors_total{kind="BackupConfig",reason="Unexpected"}'),
    );
  });
});
