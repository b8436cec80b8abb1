import { describe, expect, test } from "vitest";
import { SETTINGS } from "../../core/testing/samples.ts";
import type { Settings } from "../../core/work/settings.ts";
import { CONSENT_ANNOTATION } from "../../kinds/kopiur/annotations.ts";
import type { KubeObject } from "../../kube/object.ts";
import { keyOf } from "../../kube/object.ts";
import type { KopiurCaches } from "./caches.ts";
import type { AnyRepository, RepositoryRef } from "./references.ts";
import { useRepository } from "./repository_use.ts";
import { clusterRepository, config, readyNas, repository } from "./testing/samples.ts";

const cacheOf = (objects: readonly KubeObject[]) => {
  const known = new Map(objects.map((object) => [keyOf(object), object]));
  return { get: (key: string) => known.get(key as never) };
};
const ready = { phase: "Ready", uniqueID: "id-1" };
const shared = clusterRepository({ status: ready });
const namespaces = [{ metadata: { name: "shop" } }, { metadata: { name: "billing" } }] as KubeObject[];

interface Place {
  readonly repositories?: readonly AnyRepository[];
  readonly namespaced?: boolean;
  readonly namespaces?: readonly KubeObject[];
  readonly settings?: Partial<Settings>;
  readonly from?: string;
  readonly witness?: KubeObject;
  readonly runsIn?: string;
  readonly vouched?: boolean;
}

function use(ref: RepositoryRef, place: Place = {}) {
  const all = place.repositories ?? [readyNas(), shared];
  const caches = {
    repositories: cacheOf(all.filter(({ metadata }) => metadata.namespace)),
    clusterRepositories: place.namespaced
      ? undefined
      : cacheOf(all.filter(({ metadata }) => !metadata.namespace)),
    namespaces: cacheOf(place.namespaces ?? namespaces),
  } as unknown as KopiurCaches;
  const settings = { ...SETTINGS, ...place.settings };
  const { from: namespace = "shop", witness, runsIn = namespace, vouched = false } = place;
  return useRepository({ caches, settings }, ref, {
    namespace,
    witnesses: [witness],
    runsIn,
    vouched: () => vouched,
  });
}

const NAS = { kind: "Repository", name: "nas", namespace: "billing" } as const;
const SHARED = { kind: "ClusterRepository", name: "shared" } as const;
const consented = config({
  metadata: { annotations: { [CONSENT_ANNOTATION]: "Repository/billing/nas" } },
});

describe("useRepository()", () => {
  test("finds a Repository of the same namespace, whether or not it is named", () => {
    expect(use({ kind: "Repository", name: "nas" }, { from: "billing" })).toMatchObject({
      key: "billing/nas",
      ready: { ok: true, value: { metadata: { name: "nas" } } },
    });
    expect(use(NAS, { from: "billing" }).ready.ok).toBe(true);
  });

  test("finds a ClusterRepository that is for the namespace", () => {
    expect(use(SHARED)).toMatchObject({ key: "shared", permitted: { ok: true }, ready: { ok: true } });
  });

  test.each<[string, RepositoryRef, Place, string, string]>([
    ["that is not there", { ...SHARED, name: "other" }, {}, "transient", "RepositoryNotFound"],
    ["that is for others", SHARED, { from: "third" }, "structural", "NamespaceNotAllowed"],
    ["of another namespace", NAS, {}, "structural", "CrossNamespaceForbidden"],
    [
      "with a consent that nobody guards",
      NAS,
      { witness: consented, settings: { guarded: false } },
      "structural",
      "CrossNamespaceForbidden",
    ],
    [
      "with a consent on what is being deleted, which anybody may have written",
      NAS,
      {
        witness: {
          ...consented,
          metadata: { ...consented.metadata, deletionTimestamp: "2026-05-24T00:00:00Z" },
        },
        settings: { guarded: true },
      },
      "structural",
      "CrossNamespaceForbidden",
    ],
    [
      "of the cluster, on a single namespace",
      SHARED,
      { namespaced: true },
      "structural",
      "ClusterRepositoryUnwatched",
    ],
    [
      "for a namespace that was not read yet",
      SHARED,
      {
        namespaces: [],
        repositories: [clusterRepository({ spec: { allowedNamespaces: { selector: {} } }, status: ready })],
      },
      "transient",
      "NamespaceUnknown",
    ],
  ])("refuses one %s", (_, ref, place, failureClass, reason) => {
    const { permitted, ready } = use(ref, place);
    expect(permitted).toMatchObject({ ok: false, error: { class: failureClass, reason } });
    expect(ready).toEqual(permitted);
  });

  test("takes a consent that admission wrote", () => {
    expect(use(NAS, { witness: consented, settings: { guarded: true } }).ready.ok).toBe(true);
  });

  test("tells one that may be used from one that can be used now", () => {
    const { permitted, ready } = use(
      { kind: "Repository", name: "nas" },
      {
        from: "billing",
        repositories: [repository()],
      },
    );
    expect(permitted.ok).toBe(true);
    expect(ready).toMatchObject({ ok: false, error: { reason: "RepositoryNotReady" } });
  });

  test("hands over one that may no longer be used, for what still runs", () => {
    expect(use(SHARED, { from: "third" }).repository).toBe(shared);
  });
});

describe("a Repository whose Secrets would be lent to another namespace", () => {
  const settings = { lendSecrets: true, guarded: true };
  const by = (namespace: string, consents: string) =>
    config({ metadata: { namespace, annotations: { [CONSENT_ANNOTATION]: consents } } });
  const both = "Repository/billing/nas,Secret/billing/*";

  test.each<[string, Place, string | undefined]>([
    ["whose author may get it alone", { witness: by("shop", "Repository/billing/nas") }, "LendingForbidden"],
    ["whose author may get the Secrets, too", { witness: by("shop", both) }, undefined],
    [
      "that it lists",
      { repositories: [readyNas({ spec: { allowedNamespaces: { list: ["shop"] } } })] },
      undefined,
    ],
    ["for a source that any reader may name", { from: "billing", runsIn: "shop" }, "LendingForbidden"],
    ["for a source that lists it", { from: "billing", runsIn: "shop", vouched: true }, undefined],
    [
      "by the word of somebody elsewhere",
      { from: "attic", runsIn: "shop", witness: by("attic", both) },
      "LendingForbidden",
    ],
  ])("is used from one %s: %s", (_, place, reason) => {
    const { permitted } = use(NAS, { settings, ...place });
    expect(permitted.ok ? undefined : permitted.error.reason).toBe(reason);
  });

  test("is not lent at all where lending is off, and that is told by the run", () => {
    const witness = by("shop", "Repository/billing/nas");
    expect(use(NAS, { settings: { guarded: true }, witness }).permitted.ok).toBe(true);
  });
});
