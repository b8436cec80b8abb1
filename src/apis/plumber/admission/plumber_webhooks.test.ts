import { describe, expect, test } from "vitest";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import { ApiError } from "../../../kube/api_error.ts";
import type { Reader, Writer } from "../../../kube/client.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { silentLogger } from "../../../observe/log.ts";
import { NO_TALLY } from "../plumber_counters.ts";
import { sampleWorld } from "../testing/sample_world.ts";
import { completed, type PlumberWebhookPorts, plumberWebhooks, validated } from "./plumber_webhooks.ts";

const KNOWN = new Map([["media/data", { newestAt: "2026-01-01T00:00:00Z" }]]);
const SOURCE = { apiGroup: "kopiur.home-operations.com", kind: "Restore", name: "data-dst" };

function stage(settings: object = { mode: "enforce" }) {
  const sample = sampleWorld(settings);
  const created: unknown[] = [];
  const deleted: string[] = [];
  const patched: unknown[] = [];
  const told: EventNote[] = [];
  const live: object[] = [];
  let refusal: Error | undefined;
  const refusals: Error[] = [];
  const ports: PlumberWebhookPorts = {
    world: sample.world,
    client: {
      create: (async (resource: { readonly kind: string }, object: object) => {
        const once = refusals.pop();
        if (once ?? refusal) throw once ?? refusal;
        if (resource.kind === "ConfigMap") sample.informers.put("configmaps", object);
        else created.push(object);
        return object;
      }) as Writer["create"],
      patch: (async (
        resource: { readonly kind: string },
        name: object,
        { patch }: { readonly patch: object },
      ) => {
        if (refusal) throw refusal;
        if (resource.kind === "ConfigMap") sample.informers.mergeData(name, patch);
        else patched.push(patch);
      }) as unknown as Writer["patch"],
      list: (async () => ({ items: live })) as unknown as Reader["list"],
      delete: (async (_: unknown, { name }: { readonly name: string }) => {
        deleted.push(name);
        return true;
      }) as Writer["delete"],
    },
    tally: NO_TALLY,
    log: silentLogger,
    tell: (_, note) => void told.push(note),
    mayUse: async ({ username }) => username !== "tenant",
    isOperator: ({ username }) => username === "operator",
  };
  const request = (object: Claim, more: Partial<AdmissionRequest<Claim>> = {}): AdmissionRequest<Claim> => ({
    uid: "1",
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "persistentvolumeclaims" },
    subResource: "",
    name: object.metadata.name,
    namespace: "media",
    object,
    oldObject: undefined,
    user: { username: "someone", uid: "", groups: [] },
    dryRun: false,
    ...more,
  });
  const { signal } = new AbortController();
  return {
    ...sample,
    created,
    deleted,
    patched,
    live,
    told,
    refuseOnce: (error: Error) => void refusals.push(error),
    refuse: (error: Error) => {
      refusal = error;
    },
    mutate: (object: Claim, more = {}) => completed(ports, request(object, more), signal),
    validate: (object: Claim, more = {}) => validated(ports, request(object, more)),
    ports,
  };
}

describe("the webhooks", () => {
  test("are asked of labelled PVCs in labelled namespaces alone", () => {
    const webhooks = plumberWebhooks(stage().ports);
    expect(webhooks.map(({ type, onFailure }) => `${type} ${onFailure}`)).toEqual([
      "mutating deny",
      "validating deny",
      "mutating allow",
      "validating allow",
    ]);
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({
        operations: webhook.type === "mutating" ? ["CREATE", "UPDATE"] : ["CREATE"],
        objectSelector: {
          matchLabels: { "pvc-plumber.io/enabled": "true", "pvc-plumber.io/manage-volsync": "true" },
        },
        namespaceSelector: { matchLabels: { "pvc-plumber.io/managed-namespace": "true" } },
      });
      const [excluded] = webhook.namespaceSelector?.matchExpressions ?? [];
      expect(excluded).toMatchObject({ operator: "NotIn", key: "kubernetes.io/metadata.name" });
      expect(excluded?.values).toHaveLength(10);
      expect(excluded?.values).toContain("holdfast");
    }
  });

  test("give a PVC with a backup its source, which is there first", async () => {
    const { mutate, validate, publish, claim, created } = stage();
    publish(KNOWN);
    const answer = await mutate(claim("data"));
    expect(answer).toMatchObject({ allowed: true, object: { spec: { dataSourceRef: SOURCE } } });
    expect(created).toMatchObject([{ metadata: { namespace: "media", name: "data-dst" } }]);
    expect(await validate(claim("data", {}, { spec: { dataSourceRef: SOURCE } }))).toMatchObject({
      allowed: true,
    });
  });

  test("write nothing on a dry run", async () => {
    const { mutate, publish, claim, created } = stage();
    publish(KNOWN);
    expect(await mutate(claim("data"), { dryRun: true })).toMatchObject({
      object: { spec: { dataSourceRef: SOURCE } },
    });
    expect(created).toEqual([]);
  });

  test("deny a PVC whose Restore cannot be created", async () => {
    const { mutate, publish, claim, refuse } = stage();
    publish(KNOWN);
    refuse(new Error("quota exceeded"));
    expect(await mutate(claim("data"))).toEqual({
      allowed: false,
      code: 503,
      message:
        "The PVC is to be restored, and Restore data-dst cannot be created: quota exceeded. Apply the PVC again.",
    });
  });

  test("deny a PVC that missed its source, as its backup has just become known", async () => {
    const { validate, publish, claim, told } = stage();
    publish(KNOWN);
    expect(await validate(claim("data"))).toMatchObject({
      allowed: false,
      message: /has just become known/ as never,
    });
    expect(told).toMatchObject([{ reason: "RestoreDenied" }]);
  });

  test("replace what VolSync restored earlier, so that a PVC gets the newest backup", async () => {
    const { mutate, publish, claim, informers, created, deleted } = stage({
      mode: "enforce",
      output: "volsync",
    });
    publish(KNOWN);
    const source = { apiGroup: "volsync.backube", kind: "ReplicationDestination", name: "data-dst" };
    expect(await mutate(claim("data"))).toMatchObject({ object: { spec: { dataSourceRef: source } } });
    expect(created).toMatchObject([{ spec: { trigger: { manual: "restore-once" } } }]);
    const labels = { "app.kubernetes.io/managed-by": "pvc-plumber" };
    const status = { latestImage: { name: "snapshot" }, lastSyncTime: "2026-01-01T00:00:00Z" };
    const { metadata } = claim("data-dst");
    informers.put("replicationdestinations", {
      kind: "ReplicationDestination",
      metadata: { ...metadata, labels },
      spec: { kopia: { username: "data", hostname: "media" } },
      status,
    });
    expect(await mutate(claim("data"), { dryRun: true })).toMatchObject({ allowed: false });
    expect(deleted).toEqual([]);
    expect(await mutate(claim("data"))).toEqual({
      allowed: false,
      code: 503,
      message:
        "The PVC is to be restored, and ReplicationDestination data-dst still holds what it restored at 2026-01-01T00:00:00Z, so the operator replaces it. Apply the PVC again.",
    });
    expect(deleted).toEqual(["data-dst"]);
  });

  describe("of a Restore that an earlier PVC of that name has left", () => {
    const NAMED = { spec: { dataSourceRef: SOURCE } };
    const WANTED = {
      spec: {
        source: { identity: { username: "data", hostname: "media" } },
        policy: { onMissingSnapshot: "Fail" },
      },
      metadata: { resourceVersion: "7", annotations: { "pvc-plumber.io/unused-since": null } },
    };
    function left(labels: object = { "app.kubernetes.io/managed-by": "pvc-plumber" }) {
      const staged = stage();
      const spec = {
        source: { identity: { username: "other", hostname: "photos", sourcePath: "/data" } },
        policy: { onMissingSnapshot: "Continue" },
      };
      const metadata = { ...staged.claim("data-dst").metadata, resourceVersion: "7", labels };
      staged.informers.put("restores", { kind: "Restore", metadata, spec });
      return staged;
    }

    test.each([
      ["a PVC that is told to use it", KNOWN, {}],
      ["a PVC that names it", KNOWN, NAMED],
      ["a PVC that names it, without a backup", new Map(), NAMED],
    ])("ask for what %s asks for, before the PVC is there", async (_, known, spec) => {
      const { mutate, publish, claim, patched } = left();
      publish(known);
      expect(await mutate(claim("data", {}, spec))).toMatchObject({ allowed: true });
      const onMissingSnapshot = known.size > 0 ? "Fail" : "Continue";
      expect(patched).toMatchObject([{ ...WANTED, spec: { ...WANTED.spec, policy: { onMissingSnapshot } } }]);
    });

    test("deny the PVC where that cannot be", async () => {
      const { mutate, publish, claim, refuse } = left();
      publish(KNOWN);
      refuse(new Error("it was changed meanwhile"));
      expect(await mutate(claim("data"))).toMatchObject({
        allowed: false,
        message: expect.stringContaining("Restore data-dst cannot be updated: it was changed meanwhile"),
      });
    });

    test.each([
      ["in audit", {}, { "pvc-plumber.io/mode": "audit" }],
      [
        "for an identity that nobody can read",
        {},
        { "pvc-plumber.io/mode": "permissive", "pvc-plumber.io/backup-identity": "Data" },
      ],
      ["of somebody else", { owner: "somebody" }, {}],
    ])("write nothing %s", async (_, labels, annotations) => {
      const { mutate, publish, claim, patched } = left("owner" in labels ? labels : undefined);
      publish(KNOWN);
      expect(await mutate(claim("data", annotations, NAMED))).toMatchObject({ allowed: true });
      expect(patched).toEqual([]);
    });
  });

  describe("find, under the name of the Restore, one of somebody else", () => {
    const identity = { username: "data", hostname: "media", sourcePath: "/data", offset: 0 };
    const SPEC = {
      repository: { kind: "ClusterRepository", name: "pvc-plumber" },
      source: { identity },
      policy: { onMissingSnapshot: "Fail" },
    };
    const withIdentity = (more: object) => ({ ...SPEC, source: { identity: { ...identity, ...more } } });
    const others: [string, object][] = [
      ["spec.source.identity.hostname", withIdentity({ hostname: "photos" })],
      ["spec.source.identity.asOf", withIdentity({ asOf: "2020-01-01T00:00:00Z" })],
      ["spec.source.identity.offset", withIdentity({ offset: 3 })],
      ["spec.repository.name", { ...SPEC, repository: { kind: "ClusterRepository", name: "other" } }],
      ["spec.source", { repository: SPEC.repository, source: { fromConfig: { name: "other" } } }],
      ["spec.policy.onMissingSnapshot", { ...SPEC, policy: { onMissingSnapshot: "Continue" } }],
    ];
    const beside = (spec: object, mode: string) => {
      const staged = stage({ mode });
      staged.publish(KNOWN);
      const { metadata } = staged.claim("data-dst");
      staged.informers.put("restores", { kind: "Restore", metadata: { ...metadata, labels: {} }, spec });
      return staged;
    };

    test.each(others)("with another %s, and restore no PVC from it", async (field, spec) => {
      for (const mode of ["enforce", "strict"]) {
        const { mutate, validate, claim } = beside(spec, mode);
        const denied = { allowed: false, message: expect.stringContaining(`it differs in ${field}`) };
        expect(await mutate(claim("data"))).toMatchObject(denied);
        expect(await validate(claim("data"))).toMatchObject(denied);
      }
      const { mutate, validate, claim } = beside(spec, "permissive");
      expect(await mutate(claim("data"))).toEqual({ allowed: true });
      expect(await validate(claim("data"))).toMatchObject({
        allowed: true,
        warnings: [
          expect.stringMatching(/^The PVC starts empty: Restore data-dst is not the operator's own/),
        ],
      });
    });

    test("that gives the same data, and restore the PVC from it", async () => {
      const { mutate, claim } = beside({ ...SPEC, policy: undefined, mover: { anything: 1 } }, "strict");
      expect(await mutate(claim("data"))).toMatchObject({ object: { spec: { dataSourceRef: SOURCE } } });
    });

    test("that PVC names itself, and leave it that choice", async () => {
      const { mutate, claim } = beside(withIdentity({ hostname: "photos" }), "strict");
      expect(await mutate(claim("data", {}, { spec: { dataSourceRef: SOURCE } }))).toEqual({ allowed: true });
    });

    test("that came meanwhile: they read it, and correct or refuse it", async () => {
      const { mutate, publish, claim, refuseOnce, live, patched } = stage();
      publish(KNOWN);
      const exists = { request: "post", code: 409, status: { reason: "AlreadyExists" } };
      const labels = { "app.kubernetes.io/managed-by": "pvc-plumber" };
      const metadata = { ...claim("data-dst").metadata, labels };
      live.push({ metadata, spec: withIdentity({ hostname: "photos" }) });
      refuseOnce(new ApiError(exists));
      expect(await mutate(claim("data"))).toMatchObject({ object: { spec: { dataSourceRef: SOURCE } } });
      expect(patched).toMatchObject([{ spec: { source: { identity: { hostname: "media" } } } }]);
      live.splice(0, 1, {
        metadata: { ...metadata, labels: {} },
        spec: withIdentity({ hostname: "photos" }),
      });
      refuseOnce(new ApiError(exists));
      expect(await mutate(claim("data"))).toMatchObject({
        allowed: false,
        message: expect.stringContaining("it differs in spec.source.identity.hostname"),
      });
    });
  });

  test.each([
    [
      "skip-restore",
      { "pvc-plumber.io/skip-restore": "true", "pvc-plumber.io/skip-restore-reason": "a test" },
    ],
    ["never", { "pvc-plumber.io/restore-mode": "never" }],
  ])("warn, with %s, of a PVC that names its Restore all the same", async (_, annotations) => {
    const { validate, publish, claim } = stage();
    publish(KNOWN);
    expect(await validate(claim("data", annotations))).toEqual({ allowed: true, warnings: [] });
    expect(await validate(claim("data", annotations, { spec: { dataSourceRef: SOURCE } }))).toEqual({
      allowed: true,
      warnings: [
        "The PVC names Restore data-dst in its dataSourceRef, and does not start empty with that: remove it.",
      ],
    });
  });

  test("deny a PVC with a backup while VolSync is not installed", async () => {
    const { mutate, publish, claim, informers } = stage({ mode: "enforce", output: "volsync" });
    publish(KNOWN);
    informers.unsync("replicationdestinations");
    expect(await mutate(claim("data"))).toMatchObject({
      allowed: false,
      message: expect.stringContaining("the API server does not know the kind ReplicationDestination"),
    });
  });

  test("leave a source and a volume that somebody chose", async () => {
    const { mutate, validate, publish, claim } = stage();
    publish(KNOWN);
    const other = { kind: "PersistentVolumeClaim", name: "other" };
    for (const spec of [{ dataSourceRef: other }, { volumeName: "pv-1" }]) {
      expect(await mutate(claim("data", {}, { spec }))).toEqual({ allowed: true });
      expect(await validate(claim("data", {}, { spec }))).toMatchObject({ allowed: true });
    }
  });

  test("let the operator's own PVCs pass", async () => {
    const { validate, claim } = stage();
    expect(await validate(claim("data"), { user: { username: "operator", uid: "", groups: [] } })).toEqual({
      allowed: true,
    });
  });

  test("let a PVC whose name is still to be made up start empty, where there is no backup of it", async () => {
    const { mutate, validate, publish, claim, created } = stage();
    expect(await validate(claim("data-x7k2p"))).toMatchObject({ allowed: false });
    publish(KNOWN);
    expect(await mutate(claim(""))).toEqual({ allowed: true });
    expect(created).toEqual([]);
    const made = claim("data-x7k2p");
    const metadata = { ...made.metadata, generateName: "data-" };
    expect(await validate({ ...made, metadata })).toMatchObject({ allowed: true });
    const annotations = { "pvc-plumber.io/backup-identity": "media/data" };
    expect(await validate({ ...made, metadata: { ...metadata, annotations } })).toMatchObject({
      allowed: false,
      message: expect.stringContaining("whose name the API server makes up cannot be restored"),
    });
  });

  test("know the label of the namespace from the API server, whatever the cache says", async () => {
    const { validate, claim } = stage();
    expect(await validate(claim("data"))).toMatchObject({ allowed: false });
  });

  test("do not call a backup that was just made, and is not listed yet, nothing", async () => {
    const { validate, publish, claim, informers } = stage();
    publish(new Map());
    const metadata = {
      namespace: "media",
      name: "data",
      uid: "u",
      resourceVersion: "1",
      creationTimestamp: "",
    };
    const config = (username: string) => ({
      kind: "BackupConfig",
      metadata,
      spec: { identity: { username, hostname: "media" } },
      status: { lastSuccessfulBackup: { at: "2026-01-01T00:00:00Z" } },
    });
    informers.put("backupconfigs", config("data"));
    expect(await validate(claim("data"))).toMatchObject({
      allowed: false,
      message: expect.stringContaining(
        "BackupConfig data made a backup of media/data at 2026-01-01T00:00:00Z",
      ),
    });
    informers.put("backupconfigs", config("other"));
    expect(await validate(claim("data"))).toMatchObject({ allowed: true });
  });

  test("give no answer before the PVCs were read, which denies", async () => {
    const { validate, claim, informers } = stage();
    informers.unsync("persistentvolumeclaims");
    await expect(validate(claim("data"))).rejects.toThrow(
      "the operator has not read the PVCs of the cluster yet",
    );
  });

  test("deny the second PVC of an identity in strict, and warn in enforce", async () => {
    for (const mode of ["strict", "enforce"]) {
      const { validate, publish, claim, store } = stage({ mode });
      publish(new Map());
      store(claim("data", {}, {}, "photos"));
      const identity = "photos/data";
      const annotations = {
        "pvc-plumber.io/backup-identity": identity,
        "pvc-plumber.io/allowed-identity": identity,
      };
      const verdict = await validate(claim("data", annotations));
      const text = expect.stringContaining("PVC photos/data has the backup identity photos/data, too");
      if (mode === "strict") expect(verdict).toMatchObject({ allowed: false, message: text });
      else expect(verdict).toMatchObject({ allowed: true, warnings: [text] });
    }
  });
});

describe("the identity of another namespace", () => {
  const IDENTITY = { "pvc-plumber.io/backup-identity": "photos/data" };
  const NOTE = { "pvc-plumber.io/allowed-identity": "photos/data" };
  const tenant = { user: { username: "tenant", uid: "", groups: [] } };
  const annotationsOf = (answer: Awaited<ReturnType<ReturnType<typeof stage>["mutate"]>>) =>
    answer.allowed ? answer.object?.metadata.annotations : answer.message;

  test("is for those who may get Backups there, which is noted", async () => {
    const { mutate, publish, claim } = stage();
    publish(new Map());
    expect(annotationsOf(await mutate(claim("data", IDENTITY)))).toEqual({ ...IDENTITY, ...NOTE });
    const answer = await mutate(claim("data", { ...IDENTITY, ...NOTE }), tenant);
    expect(answer).toEqual({
      allowed: false,
      message:
        "IdentityForbidden: pvc-plumber.io/backup-identity is that of another namespace, and tenant may not get Backups there. Have someone apply the PVC who may.",
    });
  });

  test("is given to nobody by a note that a person wrote", async () => {
    const { mutate, publish, claim } = stage({ mode: "audit" });
    publish(new Map());
    const own = await mutate(claim("data", NOTE), tenant);
    expect(annotationsOf(own)).toEqual({});
    // Audit denies nothing, and writes nothing.
    expect(annotationsOf(await mutate(claim("data", { ...IDENTITY, ...NOTE }), tenant))).toEqual(IDENTITY);
  });

  test("stays allowed whoever edits the rest, of a PVC that came by here", async () => {
    const { mutate, publish, claim } = stage();
    publish(new Map());
    await mutate(claim("data", IDENTITY));
    const old = claim("data", { ...IDENTITY, ...NOTE });
    const edited = { ...tenant, operation: "UPDATE", oldObject: old };
    expect(annotationsOf(await mutate(claim("data", IDENTITY), edited))).toEqual({ ...IDENTITY, ...NOTE });
    const another = { ...NOTE, "pvc-plumber.io/backup-identity": "photos/other" };
    expect(await mutate(claim("data", another), edited)).toMatchObject({ allowed: false });
  });

  test("is lent to no PVC by a note that was on it before a webhook looked", async () => {
    const { mutate, validate, publish, claim, namespace, world } = stage();
    namespace("media");
    publish(new Map());
    const forged = claim("data", { ...IDENTITY, ...NOTE });
    expect(world.judge(forged, "stored").gate).toMatchObject({ open: false });
    expect(await mutate(forged, { ...tenant, operation: "UPDATE", oldObject: forged })).toMatchObject({
      allowed: false,
    });
    expect(await validate(forged, tenant)).toMatchObject({ allowed: false });
    await mutate(claim("data", IDENTITY));
    expect(world.judge(forged, "stored").gate).toEqual({ open: true });
    expect(world.judge(claim("other", { ...IDENTITY, ...NOTE }), "stored").gate).toMatchObject({
      open: false,
    });
  });

  test("is lent to no PVC whose name the API server makes up, whatever note it has", async () => {
    const { mutate, validate, publish, claim } = stage();
    publish(new Map());
    const forged = { ...IDENTITY, ...NOTE };
    expect(await mutate(claim("", forged), tenant)).toMatchObject({
      allowed: false,
      message: expect.stringContaining("tenant may not get Backups there"),
    });
    expect(await validate(claim("data-x7k2p", forged), tenant)).toMatchObject({
      allowed: false,
      message: expect.stringContaining("IdentityForbidden"),
    });
    expect(annotationsOf(await mutate(claim("", NOTE), tenant))).toEqual({});
    expect(annotationsOf(await mutate(claim("", IDENTITY)))).toMatch(/Give the PVC a name/);
  });

  test("is lent to one PVC, and not to the next of its name", async () => {
    const { mutate, publish, claim, namespace, world } = stage();
    namespace("media");
    publish(new Map());
    await mutate(claim("data", IDENTITY), { dryRun: true });
    expect(world.consents.has("media/data" as never, "photos/data")).toBe(false);
    await mutate(claim("data", IDENTITY));
    expect(world.consents.has("media/data" as never, "photos/data")).toBe(true);
    const audited = claim("data", { ...IDENTITY, "pvc-plumber.io/mode": "audit" });
    await mutate(audited, tenant);
    expect(world.consents.has("media/data" as never, "photos/data")).toBe(false);
    await mutate(claim("data", IDENTITY));
    await mutate(claim("data"), { operation: "UPDATE", oldObject: claim("data", IDENTITY) });
    expect(world.consents.has("media/data" as never, "photos/data")).toBe(false);
  });

  test("is refused where the note is missing in the end", async () => {
    const { validate, publish, claim } = stage();
    publish(new Map());
    expect(await validate(claim("data", IDENTITY))).toMatchObject({
      allowed: false,
      message: expect.stringContaining("IdentityForbidden"),
    });
    expect(await validate(claim("data", { ...IDENTITY, ...NOTE }))).toMatchObject({ allowed: true });
  });
});
