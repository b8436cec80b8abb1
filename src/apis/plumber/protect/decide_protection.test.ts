import { describe, expect, test } from "vitest";
import type { KnownBackups } from "../../../core/catalog/truth/known_backups.ts";
import { waits } from "../../../core/reconcile/problem.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { withoutNulls } from "../../../kube/write/differing_fields.ts";
import { err, ok } from "../../../lib/result.ts";
import { sampleWorld } from "../testing/sample_world.ts";
import { decideProtection, type ObservedPvc } from "./decide_protection.ts";

const HOUR = 3_600_000;

function observed(
  annotations: Readonly<Record<string, string>> = {},
  more: Partial<ObservedPvc> = {},
  options: {
    readonly managed?: boolean;
    readonly phase?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly age?: number;
    readonly known?: KnownBackups;
    readonly spec?: Claim["spec"];
  } = {},
): ObservedPvc {
  const { world, namespace, publish, claim, clock } = sampleWorld({ mode: "permissive" });
  namespace("media", options.managed ?? true);
  publish(options.known ?? new Map());
  const whole = claim("data", annotations, {
    status: { phase: options.phase ?? "Bound" },
    spec: { ...options.spec },
  });
  const creationTimestamp = new Date(clock.now() - (options.age ?? 3 * HOUR)).toISOString();
  const labels = { ...whole.metadata.labels, ...options.labels };
  const stored: Claim = { ...whole, metadata: { ...whole.metadata, creationTimestamp, labels } };
  return { ...world.observe(stored), repository: ok({}), ...more };
}

/** The objects as they are once they were written. */
function written({ wanted }: ObservedPvc): ObservedPvc["present"] {
  const stored = (part: (typeof wanted)["config"] | undefined) =>
    part &&
    ({ ...withoutNulls(part.object), apiVersion: "v1", kind: part.resource.kind } as unknown as KubeObject);
  return {
    config: stored(wanted.config),
    restore: stored(wanted.restore),
    schedule: stored(wanted.schedule),
  } as ObservedPvc["present"];
}

const types = (one: ObservedPvc) =>
  decideProtection(one).intents.map((intent) =>
    "wanted" in intent
      ? `${intent.type} ${intent.wanted.resource.kind}`
      : intent.type === "Delete"
        ? `Delete ${intent.resource.kind}`
        : intent.type,
  );

const ALL = ["Create BackupConfig", "Create Restore", "Create BackupSchedule", "Annotate"];

describe("decideProtection()", () => {
  test.each<[string, ObservedPvc, readonly string[]]>([
    ["a new PVC", observed(), ALL],
    ["audit", observed({ "pvc-plumber.io/mode": "audit" }), []],
    ["a shut gate", observed({}, {}, { managed: false }), []],
    ["a shut fuse", observed({}, {}, { labels: { "pvc-plumber.io/manage-volsync": "false" } }), []],
    ["a namespace that is going away", observed({}, { going: true }), []],
    [
      "restore-mode never",
      observed({ "pvc-plumber.io/restore-mode": "never" }),
      ["Create BackupConfig", "Create BackupSchedule", "Annotate"],
    ],
    [
      "audit with a restore in enforce",
      observed({ "pvc-plumber.io/mode": "audit", "pvc-plumber.io/restore-mode": "enforce" }),
      ["Create Restore"],
    ],
    [
      "a PVC that is pending",
      observed({}, {}, { phase: "Pending" }),
      ["Create BackupConfig", "Create Restore", "Annotate"],
    ],
    [
      "a PVC that is too young",
      observed({}, {}, { age: HOUR }),
      ["Create BackupConfig", "Create Restore", "Annotate"],
    ],
    [
      "a PVC that is too young and triggered",
      observed({ "pvc-plumber.io/trigger": "1" }, {}, { age: HOUR }),
      ["Create BackupConfig", "Create Restore", "BackUp", "Annotate"],
    ],
    [
      "a PVC that is pending and triggered",
      observed({ "pvc-plumber.io/trigger": "1" }, {}, { phase: "Pending" }),
      ["Create BackupConfig", "Create Restore", "Annotate"],
    ],
    [
      "a trigger that was handled",
      observed({
        "pvc-plumber.io/trigger": "1",
        "pvc-plumber.io/handled-trigger": "1",
        "pvc-plumber.io/source-state": "ready",
      }),
      ALL.slice(0, 3),
    ],
    [
      "the tier manual",
      observed({}, {}, { labels: { "pvc-plumber.io/tier": "manual" } }),
      ["Create BackupConfig", "Create Restore", "Annotate"],
    ],
    [
      "a repository that is not ready",
      observed({}, { repository: err(waits("RepositoryNotReady", "It is not ready.")) }),
      ["Create BackupConfig", "Create Restore", "Annotate"],
    ],
  ])("writes for %s", (_, one, wanted) => {
    expect(types(one)).toEqual(wanted);
  });

  const settled = observed({ "pvc-plumber.io/source-state": "ready" });

  const inMode = (mode: string, more: Readonly<Record<string, string>> = {}) => {
    const known = new Map([["media/data", { newestAt: "2026-01-01T00:00:00Z" }]]);
    const annotations = { "pvc-plumber.io/mode": mode, ...more };
    return observed(annotations, { isNew: true }, { phase: "Pending", known });
  };
  const SKIPPED = { "pvc-plumber.io/skip-restore": "true", "pvc-plumber.io/skip-restore-reason": "a test" };
  test.each<[string, ObservedPvc, string, RegExp]>([
    [
      "was restored",
      { ...inMode("enforce"), restored: true },
      "Normal RestoreInjected",
      /is restored from the backup/,
    ],
    [
      "missed its restore",
      inMode("enforce"),
      "Warning BackupStateKnown",
      /without the Restore, and is not restored/,
    ],
    [
      "is audited",
      inMode("audit"),
      "Normal BackupStateKnown",
      /In another mode than audit the PVC would be restored/,
    ],
    [
      "is audited, and names it",
      { ...inMode("audit"), restored: true },
      "Normal BackupStateKnown",
      /would be restored/,
    ],
    ["starts empty on request", inMode("enforce", SKIPPED), "Normal RestoreSkipped", /empty on request/],
    [
      "names it all the same",
      { ...inMode("enforce", SKIPPED), restored: true },
      "Normal RestoreInjected",
      /itself/,
    ],
  ])("says of a PVC that %s what became of it", (_, one, told, message) => {
    const notes = decideProtection(one).events.filter(({ reason }) => reason !== "SourceGated");
    expect(notes.map(({ type, reason }) => `${type} ${reason}`)).toEqual([told]);
    expect(notes[0]?.message).toMatch(message);
  });

  describe("of a PVC that is there without a backup from before it", () => {
    const known: KnownBackups = new Map([["media/data", { newestAt: "2000-01-01T00:00:00Z" }]]);
    const later: KnownBackups = new Map([["media/data", { newestAt: "2999-01-01T00:00:00Z" }]]);
    const dataSourceRef = { apiGroup: "kopiur.home-operations.com", kind: "Restore", name: "data-dst" };
    const BOUND = { "pv.kubernetes.io/bound-by-controller": "yes" };
    const state = (...[annotations, options]: readonly [object?, Parameters<typeof observed>[2]?]) =>
      observed({ ...annotations }, {}, { known, ...options }).source.state;

    test("holds the schedule back, takes one away that is there, and says why", () => {
      const one = observed({}, {}, { known });
      expect(types(one)).toEqual(["Create BackupConfig", "Create Restore", "Annotate"]);
      const present = written(settled);
      expect(types({ ...one, present })).toContain("Delete BackupSchedule");
      expect(decideProtection(one).events).toMatchObject([
        { type: "Warning", reason: "SourceGated", message: expect.stringContaining("may be empty") },
      ]);
    });

    test.each<[string, string]>([
      ["has no backup", state({}, { known: new Map() })],
      ["has a newer one", state({}, { known: later })],
      ["was restored", state({}, { spec: { dataSourceRef } })],
      [
        "has data of somebody's choice",
        state({}, { spec: { dataSourceRef: { kind: "PersistentVolumeClaim", name: "a" } } }),
      ],
      ["has a volume of somebody's choice", state({}, { spec: { volumeName: "pv" } })],
      ["starts empty on request", state(SKIPPED)],
      ["is never restored", state({ "pvc-plumber.io/restore-mode": "never" })],
    ])("lets one be backed up that %s", (_, got) => {
      expect(got).toBe("ready");
    });

    test.each<[string, string]>([
      ["got any volume", state(BOUND, { spec: { volumeName: "pv" } })],
      ["skips its restore without a reason", state({ "pvc-plumber.io/skip-restore": "true" })],
      ["is restored in audit alone", state({ "pvc-plumber.io/restore-mode": "audit" })],
    ])("holds one back that %s", (_, got) => {
      expect(got).toBe("missed_restore");
    });

    test("backs one up on request, which says that it is right as it is", () => {
      const asked = observed({ "pvc-plumber.io/trigger": "1" }, {}, { known });
      expect(types(asked)).toContain("BackUp");
      expect(types(asked)).not.toContain("Create BackupSchedule");
    });
  });

  test("writes nothing once everything is there", () => {
    expect(types({ ...settled, present: written(settled) })).toEqual([]);
  });

  test("corrects what was changed of its own, and takes a mark of an unused object off", () => {
    const present = written(settled);
    const schedule = {
      ...present.schedule,
      spec: { schedule: { cron: "0 0 * * *" } },
    } as never;
    expect(types({ ...settled, present: { ...present, schedule } })).toEqual(["Correct BackupSchedule"]);
    const metadata = {
      ...present.config?.metadata,
      annotations: { ...present.config?.metadata.annotations, "pvc-plumber.io/unused-since": "x" },
    };
    const config = { ...present.config, metadata } as never;
    expect(types({ ...settled, present: { ...present, config } })).toEqual(["Correct BackupConfig"]);
  });

  test("leaves objects of others as they are, and says that they differ", () => {
    const present = written(settled);
    const labels = { "app.kubernetes.io/managed-by": "argocd" };
    const schedule = {
      ...present.schedule,
      metadata: { ...present.schedule?.metadata, labels },
      spec: {},
    } as never;
    const decision = decideProtection({ ...settled, present: { ...present, schedule } });
    expect(decision.intents).toEqual([]);
    expect(decision.action).toBe("foreign");
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "BackupExpectedDriftFound" }]);
  });

  test("takes the schedule away while backups are disabled or wait, and never on an error", () => {
    for (const labels of [{ "pvc-plumber.io/tier": "disabled" }, { "pvc-plumber.io/enabled": "false" }]) {
      const one = observed({ "pvc-plumber.io/source-state": "disabled" }, {}, { labels });
      expect(types({ ...one, present: { ...written(one), schedule: written(settled).schedule } })).toContain(
        "Delete BackupSchedule",
      );
    }
    const wrong = observed({ "pvc-plumber.io/source-state": "error", "pvc-plumber.io/uid": "me" });
    expect(types({ ...wrong, present: { ...written(wrong), schedule: written(settled).schedule } })).toEqual(
      [],
    );
  });

  test.each([
    ["an identity", { "pvc-plumber.io/backup-identity": "Media" }],
    ["a user", { "pvc-plumber.io/uid": "me" }],
    ["a mode", { "pvc-plumber.io/mode": "Strict" }],
  ])("writes and changes no object by a default while %s cannot be read", (_, annotations) => {
    const wrong = observed(annotations);
    expect(types(wrong)).toEqual(["Annotate"]);
    const named = observed({ "pvc-plumber.io/backup-identity": "library", "pvc-plumber.io/uid": "7" });
    expect(types({ ...wrong, present: written(named) })).toEqual(["Annotate"]);
    const labels = { "pvc-plumber.io/tier": "disabled" };
    const disabled = observed(annotations, { present: written(named) }, { labels });
    expect(types(disabled)).toEqual(["Delete BackupSchedule", "Annotate"]);
  });

  test("keeps what a PVC is being filled from, also where it must not be restored any more", () => {
    const never = observed({ "pvc-plumber.io/restore-mode": "never" }, {}, { phase: "Pending" });
    const present = written(never);
    expect(types({ ...never, present })).toContain("Delete Restore");
    expect(types({ ...never, present, restoring: true })).not.toContain("Delete Restore");
  });

  test("keeps a schedule while the repository is away for a while", () => {
    const away = err(waits("RepositoryNotReady", "ClusterRepository a is not ready: its Secret is missing."));
    const decision = decideProtection({ ...settled, present: written(settled), repository: away });
    expect(decision.intents).toEqual([]);
    expect(decision.events).toMatchObject([{ reason: "WaitingForRepoSecret" }]);
  });

  test("says once what gates its backups, and what was decided while the PVC is new or waits for its volume", () => {
    const reasons = (one: ObservedPvc) => decideProtection(one).events.map(({ reason }) => reason);
    expect(reasons(observed({}, {}, { phase: "Pending" }))).toEqual(["SourceGated", "BackupStateKnown"]);
    expect(
      reasons(observed({ "pvc-plumber.io/source-state": "waiting_for_pvc_bound" }, {}, { phase: "Pending" })),
    ).toEqual(["BackupStateKnown"]);
    expect(reasons(observed())).toEqual(["SourceReady"]);
    const annotations = { "pvc-plumber.io/min-backup-age": "0s" };
    expect(reasons(observed(annotations, {}, { age: 59_000 }))).toEqual(["SourceReady", "BackupStateKnown"]);
    expect(reasons(observed(annotations, {}, { age: 60_000 }))).toEqual(["SourceReady"]);
  });
});
