import { describe, expect, test } from "vitest";
import type { ServedResponse } from "../../../lib/https_server.ts";
import { sampleWorld } from "../testing/sample_world.ts";
import { auditEndpoint } from "./audit_endpoint.ts";
import { ownerOf } from "./audit_row.ts";

function ask(query = ""): { readonly status: number; readonly body: string } {
  const { world, namespace, publish, claim, store } = sampleWorld({ mode: "enforce" });
  namespace("media");
  namespace("photos", false);
  publish(new Map([["media/data", { newestAt: "2026-01-01T00:00:00Z" }]]));
  const spec = { resources: { requests: { storage: "5Gi" } } };
  const data = claim("data", {}, { spec });
  const labels = { ...data.metadata.labels, "app.kubernetes.io/name": "jellyfin" };
  store({ ...data, metadata: { ...data.metadata, labels } });
  store(claim("data", {}, {}, "photos"));
  const legacy = claim("old");
  store({ ...legacy, metadata: { ...legacy.metadata, labels: { backup: "daily" } } });
  store(claim("dns", {}, {}, "kube-system"));
  const answer = auditEndpoint(world)({ query: new URLSearchParams(query) } as never) as ServedResponse;
  return { status: answer.status, body: String(answer.body) };
}

describe("/audit", () => {
  test("tells of every PVC with all its fields, but for those of excluded namespaces", () => {
    const { pvcs } = JSON.parse(ask().body) as { readonly pvcs: readonly object[] };
    expect(pvcs).toMatchObject([
      {
        namespace: "media",
        pvc: "data",
        label_source: "pvc-plumber",
        action: "wait",
        owner_classification: "none",
        stale: false,
        mode: "enforce",
        gate: "open",
        tier: "hourly",
        backup_identity: "media/data",
        backup_exists: "yes",
        newest_backup: "2026-01-01T00:00:00Z",
        decision: "RestoreInjected",
        source_state: "waiting_for_pvc_bound",
        backup_config: "data",
        backup_schedule: "data",
        restore: "data-dst",
        repository: "ClusterRepository pvc-plumber",
        uid: 568,
        gid: 568,
        size: "5Gi",
        app: "jellyfin",
        drift: [],
      },
      { pvc: "old", label_source: "legacy", action: "none", tier: "daily", mode: "audit" },
      {
        namespace: "photos",
        mode: "audit",
        gate: 'the namespace has no label pvc-plumber.io/managed-namespace: "true"',
      },
    ]);
  });

  test("can be filtered, and shown as a table", () => {
    const { body } = ask("namespace=media&label_source=pvc-plumber&format=table");
    expect(body.split("\n")).toEqual([
      expect.stringMatching(/^NAMESPACE +PVC +LABEL_SOURCE +ACTION/),
      expect.stringMatching(/^media +data +pvc-plumber +wait/),
      "",
    ]);
  });

  test.each([
    ["color=red", "color is no filter"],
    ["format=xml", "format is xml: it must be json or table"],
  ])("refuses %s", (query, text) => {
    expect(ask(query)).toEqual({ status: 400, body: expect.stringContaining(text) });
  });
});

test("/audit says in which fields VolSync's objects of others differ, and names what would be written", () => {
  const { world, namespace, publish, claim, store, informers } = sampleWorld({ output: "volsync" });
  namespace("media");
  publish(new Map());
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } };
  const stored = claim("data", {}, { spec, status: { phase: "Bound" } });
  store(stored);
  const { restore } = world.observe(stored).wanted;
  const metadata = {
    ...stored.metadata,
    name: "data-dst",
    labels: { "app.kubernetes.io/managed-by": "argocd" },
  };
  const put = (more: object) =>
    informers.put("replicationdestinations", {
      kind: "ReplicationDestination",
      metadata,
      spec: { ...restore.object.spec, ...more },
    });
  const row = () => {
    const answer = auditEndpoint(world)({ query: new URLSearchParams() } as never) as ServedResponse;
    return (JSON.parse(String(answer.body)) as { readonly pvcs: readonly object[] }).pvcs[0];
  };
  put({});
  expect(row()).toMatchObject({
    owner_classification: "argocd",
    replication_source: "data",
    replication_destination: "data-dst",
    repository_secret: "volsync-kopia-repository",
    drift: [],
  });
  put({ trigger: { manual: "restore-twice" } });
  expect(row()).toMatchObject({ drift: ["ReplicationDestination spec.trigger.manual"] });
});

test("/audit tells of VolSync's objects beside native ones, and the schedule waits for those that write the same history", () => {
  const { world, namespace, publish, claim, store, informers, clock } = sampleWorld({ mode: "enforce" });
  namespace("media");
  publish(new Map());
  const creationTimestamp = new Date(clock.now() - 86_400_000).toISOString();
  const young = claim("data", {}, { status: { phase: "Bound" } });
  const stored = { ...young, metadata: { ...young.metadata, creationTimestamp } };
  store(stored);
  const source = (kopia: object | undefined, more: object = {}, labels: object = {}) =>
    informers.put("replicationsources", {
      kind: "ReplicationSource",
      metadata: { ...stored.metadata, name: "backup-of-data", labels },
      spec: { sourcePVC: "data", kopia, ...more },
    });
  const row = () => {
    const answer = auditEndpoint(world)({ query: new URLSearchParams() } as never) as ServedResponse;
    return (JSON.parse(String(answer.body)) as { readonly pvcs: readonly object[] }).pvcs[0];
  };
  expect(row()).toMatchObject({ owner_classification: "none", source_state: "ready" });
  source({ username: "data", hostname: "media" });
  expect(row()).toMatchObject({
    owner_classification: "orphan",
    replication_source: "backup-of-data",
    backup_config: "data",
    source_state: "waiting_for_handover",
  });
  source({ username: "data", hostname: "media" }, {}, { "app.kubernetes.io/managed-by": "argocd" });
  expect(row()).toMatchObject({ owner_classification: "argocd", source_state: "waiting_for_handover" });
  // Of another history, of another repository, or at rest.
  source({ username: "data", hostname: "photos" });
  expect(row()).toMatchObject({ owner_classification: "orphan", source_state: "ready" });
  source(undefined, { restic: {} });
  expect(row()).toMatchObject({ source_state: "ready" });
  source({ username: "data", hostname: "media" }, { paused: true });
  expect(row()).toMatchObject({ owner_classification: "orphan", source_state: "ready" });
});

describe("ownerOf()", () => {
  const object = (labels: object, annotations: object = {}) =>
    ({ metadata: { name: "a", labels, annotations } }) as never;
  test.each([
    [[undefined], "none"],
    [[object({ "app.kubernetes.io/managed-by": "pvc-plumber" })], "pvc-plumber"],
    [[object({ "app.kubernetes.io/managed-by": "argocd" })], "argocd"],
    [[object({}, { "argocd.argoproj.io/tracking-id": "x" })], "argocd"],
    [[object({ "app.kubernetes.io/managed-by": "Helm" })], "helm"],
    [[object({})], "orphan"],
    [[object({ "app.kubernetes.io/managed-by": "pvc-plumber" }), object({})], "orphan"],
  ])("%j: %s", (objects, owner) => {
    expect(ownerOf(objects)).toBe(owner);
  });
});
