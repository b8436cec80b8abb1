import { Environment } from "@marcbachmann/cel-js";
import { describe, expect, test } from "vitest";
import { KINDS } from "../../../kinds/cozystack/kinds.ts";
import type { AdmissionRequest, Verdict } from "../../../kube/admission/review.ts";
import { webhookConfigurations } from "../../../kube/admission/webhook_configuration.ts";
import type { Writer } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { admit } from "../../../kube/schema/admit.ts";
import { sampleBackup, sampleClass, sampleJob, samplePlan, sampleRestoreJob } from "../testing/samples.ts";
import { sampleJobStrategy, sampleVelero, sampleVolume } from "../testing/works.ts";
import { cozystackWebhooks } from "./cozystack_webhooks.ts";
import type { Lookup } from "./lookup.ts";

const postgres = { strategyRef: { kind: "Volume", name: "it" }, application: { kind: "Postgres" } };
const other: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: sampleJob("other").metadata };

const LOOKUP: Lookup = {
  backupClass: (name) => (name === "standard" ? sampleClass(postgres) : "absent"),
  plan: () => "absent",
  backup: ({ name }) => (name === "first" ? sampleBackup("first") : "absent"),
  namespace: (name) => (name === "other" ? other : "absent"),
  strategy: ({ apiGroup, name }) =>
    apiGroup === "tapes.example.com" ? "foreign" : name === "it" ? sampleVolume() : "absent",
};

interface Write {
  readonly old?: KubeObject;
  readonly author?: "operator" | "tenant" | "administrator";
  readonly lookup?: Partial<Lookup>;
}

/** What the API server does with a write: all webhooks of the kind, and what would be stored. */
async function write(object: KubeObject, { old, author = "tenant", lookup = {} }: Write = {}) {
  const asked: unknown[] = [];
  const client = {
    create: async (_: unknown, review: { readonly spec: { readonly resourceAttributes: unknown } }) => {
      asked.push(review.spec.resourceAttributes);
      return { status: { allowed: author === "administrator" } };
    },
  } as unknown as Pick<Writer, "create">;
  const webhooks = cozystackWebhooks({
    client,
    lookup: { ...LOOKUP, ...lookup },
    operatorNamespace: "platform",
    isOperator: ({ username }) => username === "operator",
  }).filter(({ resource }) => resource.kind === object.kind);
  let stored = object;
  const verdicts: Verdict[] = [];
  for (const webhook of webhooks) {
    const request = {
      uid: "1",
      operation: old ? "UPDATE" : "CREATE",
      resource: { group: "", version: "", resource: "" },
      subResource: "",
      name: object.metadata.name,
      namespace: object.metadata.namespace ?? "",
      object: stored,
      oldObject: old,
      user: { username: author, uid: "", groups: [] },
      dryRun: false,
    } as AdmissionRequest;
    const { signal } = new AbortController();
    if (webhook.type === "mutating") {
      const mutation = await webhook.mutate(request, signal);
      if (mutation.allowed && mutation.object) stored = mutation.object;
    } else verdicts.push(await webhook.validate(request, signal));
  }
  const refused = verdicts.flatMap((one) => (one.allowed ? [] : [one.message]));
  return { refused, warned: verdicts.flatMap(({ warnings = [] }) => warnings), stored, asked };
}

const configured = () =>
  webhookConfigurations({
    name: "it",
    webhooks: cozystackWebhooks({
      client: {} as never,
      lookup: LOOKUP,
      operatorNamespace: "platform",
      isOperator: () => false,
    }),
    reach: { url: "https://127.0.0.1:1" },
  });

test("every kind is checked, and names and paths are unique", () => {
  const { validating } = configured();
  const checked = validating.webhooks.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources));
  expect(new Set(checked)).toEqual(new Set(KINDS.map(({ resource }) => resource.plural)));
  const names = validating.webhooks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("while nobody serves them, only what no controller can check again is refused", () => {
  const { validating, mutating } = configured();
  const refused = [...validating.webhooks, ...mutating.webhooks].filter(
    ({ failurePolicy }) => failurePolicy === "Fail",
  );
  expect(refused.map(({ name }) => name)).toEqual([
    "author.backups.backups.cozystack.io",
    "owners.backups.backups.cozystack.io",
    "complete.restorejobs.backups.cozystack.io",
    "complete.jobs.strategy.backups.cozystack.io",
    "complete.jobbackupstrategies.jobdriver.backups.cozystack.io",
  ]);
});

test("the samples have the shape of their kinds", () => {
  for (const object of [samplePlan(), sampleJob("first"), sampleBackup("first"), sampleRestoreJob("again")]) {
    const schema = KINDS.find(({ resource }) => resource.kind === object.kind)?.schema;
    expect(schema && admit(schema, object).problems).toEqual([]);
  }
});

function marked(reason: string) {
  const backup = sampleBackup("first");
  const annotations = { ...backup.metadata.annotations, "backups.cozystack.io/deletion-reason": reason };
  return { ...backup, metadata: { ...backup.metadata, annotations } };
}

const BROKEN = "{{ if .Parameters.level }}";

describe("what can never work is refused", () => {
  test.each<[string, KubeObject, Write, string]>([
    [
      "a Plan with a time that nobody can tell",
      samplePlan({ schedule: { type: "cron", cron: "61 2 * * *", timezone: "UTC" } }),
      {},
      "spec.schedule.cron: ",
    ],
    [
      "a Plan in a zone that nobody knows",
      samplePlan({ schedule: { type: "cron", cron: "0 2 * * *", timezone: "Moon/Base" } }),
      {},
      "spec.schedule.timezone: ",
    ],
    [
      "a BackupJob by a class that has no strategy for its application",
      {
        ...sampleJob("x"),
        spec: { applicationRef: { kind: "Redis", name: "db" }, backupClassName: "standard" },
      } as never,
      {},
      "spec.backupClassName: BackupClass standard has no strategy for Redis of apps.cozystack.io: its strategies are for Postgres of apps.cozystack.io. Add one to its strategies, or choose another class.",
    ],
    [
      "another application of a BackupJob",
      {
        ...sampleJob("x"),
        spec: { applicationRef: { kind: "Postgres", name: "b" }, backupClassName: "standard" },
      } as never,
      { old: sampleJob("x") },
      "spec.applicationRef: applicationRef of a BackupJob cannot be changed: drivers may have begun to work by it. Create another BackupJob.",
    ],
    [
      "another moment of a Backup",
      sampleBackup("first", { takenAt: "2026-05-24T11:00:01Z" }),
      { old: sampleBackup("first"), author: "operator" },
      "spec.takenAt: ",
    ],
    [
      "a Backup that is marked as one that the operator deletes",
      marked("Retention"),
      { old: sampleBackup("first") },
      "the annotation backups.cozystack.io/deletion-reason cannot be set",
    ],
    [
      "another Backup of a RestoreJob",
      sampleRestoreJob("again", { backupRef: { name: "second" } }),
      { old: sampleRestoreJob("again") },
      "spec.backupRef: ",
    ],
    [
      "a Job whose pod cannot be rendered",
      sampleJobStrategy({ template: { spec: { containers: [{ args: [BROKEN] }] } } }),
      {},
      "spec.template.spec.containers[0].args[0]: the template cannot be rendered: {{ if }} has no {{ end }}. Correct it.",
    ],
    [
      "a Job whose artifact cannot be",
      sampleJobStrategy({ artifact: { uri: BROKEN } }),
      {},
      "spec.artifact.uri: ",
    ],
    [
      "a Velero whose Backup cannot be",
      sampleVelero({ backupTemplate: { spec: { ttl: "{{ nosuch }}" } } }),
      {},
      "spec.backupTemplate.spec.ttl: the template cannot be rendered: the function nosuch is unknown. Correct it.",
    ],
    [
      "a Volume whose labels cannot be",
      sampleVolume({ volumes: { matchLabels: { a: BROKEN } } }),
      {},
      "spec.volumes.matchLabels.a: ",
    ],
  ])("%s", async (_, object, how, message) => {
    const { refused } = await write(object, how);
    expect(refused).toEqual([expect.stringContaining(message)]);
  });
});

describe("what may still come is let in, with a warning", () => {
  test.each<[string, KubeObject, Write, string]>([
    [
      "a Plan before its class",
      samplePlan({ backupClassName: "later" }),
      {},
      "BackupClass later does not exist yet",
    ],
    [
      "a Plan whose class has no strategy for it",
      samplePlan({ applicationRef: { kind: "Redis", name: "db" } }),
      {},
      "has no strategy for Redis",
    ],
    [
      "a RestoreJob before its Backup",
      sampleRestoreJob("again", { backupRef: { name: "later" } }),
      {},
      "Backup tenant/later does not exist yet",
    ],
    [
      "a RestoreJob of a Backup that failed",
      sampleRestoreJob("again"),
      { lookup: { backup: () => sampleBackup("first", {}, { phase: "Failed" }) } },
      "Backup first failed: there is nothing to restore",
    ],
    [
      "a class before its strategy",
      sampleClass({ ...postgres, strategyRef: { kind: "Volume", name: "later" } }),
      {},
      "Volume later does not exist yet",
    ],
    [
      "a class with two strategies for one type",
      sampleClass(postgres, {
        ...postgres,
        application: { apiGroup: "apps.cozystack.io", kind: "Postgres" },
      }),
      {},
      "spec.strategies[1]: spec.strategies[0] is for Postgres of apps.cozystack.io, too, and comes first",
    ],
    [
      "a Job that backs up when it is to restore",
      sampleJobStrategy({ template: { spec: { containers: [{ name: "c", args: ["--all"] }] } } }),
      {},
      "spec.restoreTemplate: without it, and with a template that does not name .Mode, Backups cannot be restored",
    ],
    [
      "a misspelt annotation",
      {
        ...samplePlan(),
        metadata: { ...samplePlan().metadata, annotations: { "backups.cozystack.io/hodl": "true" } },
      },
      {},
      "did you mean backups.cozystack.io/hold?",
    ],
  ])("%s", async (_, object, how, message) => {
    const { refused, warned } = await write(object, how);
    expect(refused).toEqual([]);
    expect(warned).toEqual([expect.stringContaining(message)]);
  });

  test("nothing is said of the operator's own mark", async () => {
    const how = { old: sampleBackup("first"), author: "operator" } as const;
    expect(await write(marked("Retention"), how)).toMatchObject({ refused: [], warned: [] });
    const labelled = {
      ...marked("Retention"),
      metadata: { ...marked("Retention").metadata, labels: { a: "b" } },
    };
    expect(await write(labelled, { old: marked("Retention") })).toMatchObject({ refused: [] });
  });

  test("nothing is said of a strategy of another driver", async () => {
    const tape = { ...postgres, strategyRef: { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" } };
    expect(await write(sampleClass(tape))).toMatchObject({ refused: [], warned: [] });
  });

  test("the job of a Plan is made, so that its failure can be seen", async () => {
    const job = {
      ...sampleJob("x"),
      spec: { ...sampleJob("x").spec, applicationRef: { kind: "Redis", name: "db" } },
    };
    expect((await write(job, { author: "operator" })).refused).toEqual([]);
  });
});

describe("a RestoreJob into another namespace", () => {
  const job = sampleRestoreJob("again", { targetNamespace: "other" });
  const CONSENT = "backups.cozystack.io/consented-references";

  test("is refused where its author may not create RestoreJobs there", async () => {
    const { refused, asked } = await write(job);
    expect(refused).toEqual([expect.stringContaining("cannot restore into namespace other")]);
    expect(asked).toEqual([
      { verb: "create", group: "backups.cozystack.io", resource: "restorejobs", namespace: "other" },
    ]);
  });

  test("is let in where its author may, and says so for the controller", async () => {
    const { refused, stored } = await write(job, { author: "administrator" });
    expect(refused).toEqual([]);
    expect(stored.metadata.annotations?.[CONSENT]).toBe("RestoreJob/other/*");
  });

  test("cannot bring a consent of its own", async () => {
    const forged = {
      ...job,
      metadata: { ...job.metadata, annotations: { [CONSENT]: "RestoreJob/other/*" } },
    };
    const { refused, stored } = await write(forged);
    expect(refused).toHaveLength(1);
    expect(stored.metadata.annotations?.[CONSENT]).toBeUndefined();
  });

  test("is let in where that namespace lists its own", async () => {
    const annotations = { "backups.cozystack.io/allowed-restore-namespaces": "tenant" };
    const namespace = () => ({ ...other, metadata: { ...other.metadata, annotations } });
    expect(await write(job, { lookup: { namespace } })).toMatchObject({ refused: [], asked: [] });
  });

  test("is refused where the driver of its Backup may know no other namespaces", async () => {
    const tape = { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" };
    const found = sampleBackup("first", { strategyRef: tape });
    const backup = () => ({ ...found, metadata: { ...found.metadata, annotations: {} } });
    const { refused } = await write(job, { author: "administrator", lookup: { backup } });
    expect(refused).toEqual([
      expect.stringContaining("its driver, that of Tape of tapes.example.com, may not know targetNamespace"),
    ]);
  });

  test("asks nobody within its own namespace", async () => {
    const own = sampleRestoreJob("again", { targetNamespace: "tenant" });
    expect(await write(own)).toMatchObject({ refused: [], asked: [] });
  });
});

test("a Backup by the strategy of another driver keeps the metadata that it was made with", async () => {
  const strategyRef = { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" };
  const of = (driverMetadata?: object) =>
    sampleBackup("found", { strategyRef, ...(driverMetadata ? { driverMetadata } : {}) });
  const { refused } = await write(of({ tape: "others" }), { old: of({ tape: "mine" }) });
  expect(refused).toEqual([expect.stringContaining("driverMetadata of a Backup cannot be changed")]);
  expect((await write(of({ tape: "mine" }), { old: of() })).refused).toEqual([]);
});

describe("the Secret that a strategy lends to tenants", () => {
  const secretRef = { namespace: "platform", name: "bucket" };
  const strategy = sampleJobStrategy({ credentials: { secretRef } });
  const consents = "backups.cozystack.io/consented-references";
  const recorded = ({ metadata }: KubeObject) =>
    Object.entries(metadata.annotations ?? {}).filter(([name]) => name.endsWith("/consented-references"));
  const lists = (names: string) => ({
    namespace: () => ({
      ...other,
      metadata: { ...other.metadata, annotations: { "backups.cozystack.io/lendable-secrets": names } },
    }),
  });

  test("may be got by its author, or is listed by its namespace", async () => {
    const around = lists("others");
    const refused = await write(strategy, { lookup: around });
    expect(refused.refused).toEqual([
      expect.stringContaining(
        "Secret platform/bucket cannot be lent to other namespaces: namespace platform does not list it",
      ),
    ]);
    expect(refused.asked).toEqual([
      expect.objectContaining({ verb: "get", resource: "secrets", namespace: "platform", name: "bucket" }),
    ]);
    const allowed = await write(strategy, { author: "administrator", lookup: around });
    expect([allowed.refused, recorded(allowed.stored)]).toEqual([
      [],
      [["strategy.backups.cozystack.io/consented-references", "LentSecret/platform/bucket"]],
    ]);
    expect((await write(strategy, { lookup: lists("others, bucket") })).refused).toEqual([]);
  });

  test("is not got by a consent that its author wrote", async () => {
    const annotations = {
      [consents]: "LentSecret/platform/bucket",
      "strategy.backups.cozystack.io/consented-references": "LentSecret/platform/bucket",
    };
    const forged = { ...strategy, metadata: { ...strategy.metadata, annotations } };
    expect((await write(forged, { lookup: lists("") })).refused).toHaveLength(1);
  });

  test("is asked about by no strategy without credentials", async () => {
    expect(await write(sampleJobStrategy(), {})).toMatchObject({ refused: [], asked: [] });
  });
});

test("a Backup never has an owner with which it would go, not even while no controller runs", async () => {
  const backup = sampleBackup("found", {
    strategyRef: { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" },
  });
  const owner = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: "first", uid: "u" });
  const job = owner("backups.cozystack.io/v1alpha1", "BackupJob");
  const robot = owner("tapes.example.com/v1", "Robot");
  const owned = { ...backup, metadata: { ...backup.metadata, ownerReferences: [job, robot] } };
  expect((await write(owned)).stored.metadata.ownerReferences).toEqual([robot]);
  expect((await write(owned, { old: backup })).stored.metadata.ownerReferences).toEqual([robot]);
  expect((await write(backup)).stored).toEqual(backup);
});

test("only Backups with such an owner wait while nobody serves the webhook", () => {
  const { mutating } = configured();
  const found = mutating.webhooks.find(({ name }) => name.startsWith("owners."));
  const [condition] = found?.matchConditions ?? [];
  const owned = (...groups: readonly string[]) => ({
    metadata: { ownerReferences: groups.map((group) => ({ apiVersion: `${group}/v1`, kind: "K" })) },
  });
  const environment = new Environment().registerVariable("object", "dyn");
  const holds = (object: object) => environment.evaluate(condition?.expression ?? "", { object });
  expect(holds(owned("tapes.example.com", "backups.cozystack.io"))).toBe(true);
  expect(holds(owned("tapes.example.com"))).toBe(false);
  expect(holds({ metadata: {} })).toBe(false);
});

describe("a Backup by a strategy of ours", () => {
  const backup = sampleBackup("found", { driverMetadata: { bucket: "others" } });

  test("is made up by no tenant", async () => {
    const { refused, asked } = await write(backup);
    expect(refused).toEqual([
      "spec: Backups by the Volume volumes of strategy.backups.cozystack.io are written by its driver: they say where data is, and it is restored by what they say. Create a BackupJob, or have someone write this who may update the strategy.",
    ]);
    expect(asked).toEqual([
      { verb: "update", group: "strategy.backups.cozystack.io", resource: "volumes", name: "volumes" },
    ]);
  });

  test.each<[string, KubeObject, Write, boolean]>([
    ["by the operator", backup, { author: "operator" }, true],
    ["by who may change the strategy", backup, { author: "administrator" }, true],
    ["with other metadata", backup, { old: sampleBackup("found") }, false],
    [
      "with another label alone",
      { ...backup, metadata: { ...backup.metadata, labels: { a: "b" } } },
      { old: backup },
      true,
    ],
    [
      "by the strategy of another driver",
      sampleBackup("found", { strategyRef: { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" } }),
      {},
      true,
    ],
  ])("is written %s", async (_, object, how, allowed) => {
    expect((await write(object, how)).refused).toHaveLength(allowed ? 0 : 1);
  });
});
