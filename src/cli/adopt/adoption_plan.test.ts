import { describe, expect, test } from "vitest";
import { ReplicationDestinations, ReplicationSources } from "../../kinds/plumber/volsync.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { planLines } from "../commands/adopt.ts";
import { adoptingPatch, undoingPatch } from "./adoption_patch.ts";
import { type AdoptionGround, adoptionPlan } from "./adoption_plan.ts";

const LABELS = {
  "pvc-plumber.io/enabled": "true",
  "pvc-plumber.io/manage-volsync": "true",
  "pvc-plumber.io/tier": "hourly",
};

function object(kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind,
    metadata: {
      namespace: "media",
      name,
      uid: "u",
      resourceVersion: "7",
      creationTimestamp: "",
      ...metadata,
    },
    ...more,
  };
}

const claim = (metadata: object = {}) =>
  object("PersistentVolumeClaim", "data", {}, { labels: LABELS, ...metadata });
const source = (spec: object = {}, metadata: object = {}, name = "data") =>
  object("ReplicationSource", name, { spec: { sourcePVC: "data", kopia: {}, ...spec } }, metadata);
const destination = object("ReplicationDestination", "data-dst", { spec: { kopia: { username: "data" } } });

function plan(objects: readonly KubeObject[], more: Partial<AdoptionGround> = {}, pvc = claim()) {
  const byKind = new Map<Resource, readonly KubeObject[]>(
    [ReplicationSources, ReplicationDestinations].map((resource) => [
      resource,
      objects.filter(({ kind }) => kind === resource.kind),
    ]),
  );
  return adoptionPlan({
    claims: [pvc],
    objects: byKind,
    naming: "bare-dst",
    ownerGone: false,
    volsync: true,
    ...more,
  });
}

const why = (steps: ReturnType<typeof plan>) =>
  steps.map((step) => (step.verdict === "blocked" ? step.why : step.verdict));

describe("adoptionPlan()", () => {
  test("adopts what another tool left behind under the names of the PVC", () => {
    expect(why(plan([source(), destination]))).toEqual(["adopt", "adopt"]);
  });

  test("leaves what is the operator's own already, and what belongs to another PVC", () => {
    const labels = { "app.kubernetes.io/managed-by": "pvc-plumber" };
    expect(why(plan([source({}, { labels })]))).toEqual(["managed"]);
    expect(plan([source({ sourcePVC: "other" }, {}, "other")])).toEqual([]);
    expect(plan([source({}, { namespace: "photos" })])).toEqual([]);
  });

  test.each<[string, readonly KubeObject[], Partial<AdoptionGround>, KubeObject, string]>([
    [
      "an object of Argo CD",
      [source({}, { annotations: { "argocd.argoproj.io/tracking-id": "x" } })],
      {},
      claim(),
      "Argo CD deploys it.",
    ],
    [
      "a PVC without its labels",
      [source()],
      {},
      claim({ labels: { "pvc-plumber.io/enabled": "true" } }),
      "PVC data has no label pvc-plumber.io/manage-volsync, pvc-plumber.io/tier, so the operator would remove the object.",
    ],
    [
      "VolSync's object, with native output",
      [source()],
      { volsync: false },
      claim(),
      "The operator looks after VolSync's objects only with plumber.output: volsync.",
    ],
    ["another name", [source({}, {}, "data-backup")], {}, claim(), "The operator calls its own data."],
    ["another PVC's source", [source({ sourcePVC: "other" })], {}, claim(), "It backs up PVC other."],
    [
      "another identity",
      [source({ kopia: { username: "old" } })],
      {},
      claim(),
      "Its backups have the identity media/old, and those of the PVC would have media/data.",
    ],
  ])("does not adopt %s", (_, objects, more, pvc, text) => {
    expect(why(plan(objects, more, pvc))).toEqual([text]);
  });

  test("adopts them where the reason is gone", () => {
    const annotations = { "argocd.argoproj.io/tracking-id": "x" };
    expect(why(plan([source({}, { annotations })], { ownerGone: true }))).toEqual(["adopt"]);
    const legacy = source({ kopia: { username: "data" } }, {}, "data-backup");
    expect(why(plan([legacy], { naming: "legacy-backup" }))).toEqual(["adopt"]);
    const identity = claim({ annotations: { "pvc-plumber.io/backup-identity": "media/old" } });
    expect(why(plan([source({ kopia: { username: "old" } })], {}, identity))).toEqual(["adopt"]);
  });

  test("is told in sentences", () => {
    expect(planLines(plan([source({ sourcePVC: "other" }), destination]))).toEqual([
      "1 object to adopt, 0 the operator's own already.",
      "✓ ReplicationDestination media/data-dst for PVC data",
      "✗ ReplicationSource media/data: It backs up PVC other.",
      "  Give it, or the PVC, another name.",
    ]);
    expect(planLines([])).toEqual(["No object of a PVC is here to adopt."]);
  });
});

describe("adoptingPatch() and undoingPatch()", () => {
  test("make an object the operator's own, and what it was again", () => {
    const was = source(
      { trigger: { schedule: "0 * * * *" } },
      {
        labels: { "app.kubernetes.io/managed-by": "argocd", team: "a" },
        annotations: { "argocd.argoproj.io/tracking-id": "x" },
      },
    );
    const patch = adoptingPatch(was, "data") as { metadata: { annotations: Record<string, string> } };
    expect(patch).toMatchObject({
      metadata: {
        resourceVersion: "7",
        labels: { "app.kubernetes.io/managed-by": "pvc-plumber" },
        annotations: { "argocd.argoproj.io/tracking-id": null, "pvc-plumber.io/source-pvc": "data" },
      },
    });
    const adopted = source(
      { trigger: { schedule: "7 * * * *", manual: "x" } },
      {
        labels: { "app.kubernetes.io/managed-by": "pvc-plumber", team: "a" },
        annotations: patch.metadata.annotations,
      },
    );
    expect(undoingPatch(adopted)).toMatchObject({
      metadata: {
        labels: { "app.kubernetes.io/managed-by": "argocd" },
        annotations: {
          "argocd.argoproj.io/tracking-id": "x",
          "pvc-plumber.io/source-pvc": null,
          "pvc-plumber.io/adopted-from": null,
        },
      },
      spec: { trigger: { schedule: "0 * * * *", manual: null } },
    });
    expect(undoingPatch(was)).toBeUndefined();
  });
});
