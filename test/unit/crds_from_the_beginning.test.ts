import { describe, expect, test } from "vitest";
import { checkCrdSchema } from "../../src/embedded/api/crd_schema.ts";
import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { type BundledCrd, bundledCrds } from "../../src/embedded/kinds/bundled_crds.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import type { Store } from "../../src/embedded/store/store.ts";
import { kopiurCrds as ours } from "../../src/kinds/kopiur/crds.ts";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { celEvaluator } from "../../src/kube/schema/cel.ts";
import { seededRandom } from "../../src/lib/random.ts";
import { VirtualClock } from "../../src/lib/virtual_clock.ts";

const all = [...bundledCrds, ...ours].map((crd) => ({ name: crd.metadata.name, crd }));

function started({ crds = ours, store }: { crds?: readonly BundledCrd[]; store?: Store } = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const kept = store ?? new MemoryStore({ clock });
  const plane = new ControlPlane({ store: kept, clock, random, crds });
  return { plane, clock, store: kept, client: new HttpClient({ sender: plane.sender, clock, random }) };
}

describe.each(all)("$name, which is there from the beginning,", ({ name, crd }) => {
  test("has a schema that nothing is wrong with, as it is not checked at the start", () => {
    const schemas = crd.spec.versions.map(({ schema }) => schema.openAPIV3Schema);
    expect(schemas.flatMap((schema) => checkCrdSchema(schema, name, celEvaluator()))).toEqual([]);
  });

  test("is stored as if somebody had applied it", async () => {
    const { client, plane, clock } = started();
    const there = await client.get(CustomResourceDefinitions, { name });
    const stop = new AbortController();
    const running = plane.run(stop.signal);
    await client.delete(CustomResourceDefinitions, { name });
    await clock.advance(0);
    await client.apply(CustomResourceDefinitions, crd, { fieldManager: "holdfast" });
    await clock.advance(0);
    const applied = await client.get(CustomResourceDefinitions, { name });
    stop.abort(new Error("the test is over"));
    await clock.advance(0);
    await running;
    const { uid, resourceVersion } = there.metadata;
    expect(applied.metadata.uid).not.toBe(uid);
    const managedFields = applied.metadata.managedFields?.filter(({ subresource }) => !subresource);
    expect({ ...applied, metadata: { ...applied.metadata, uid, resourceVersion, managedFields } }).toEqual(
      there,
    );
  });
});

const [first] = ours as readonly [BundledCrd];
const { name } = first.metadata;
const shorter: BundledCrd = {
  ...first,
  spec: { ...first.spec, names: { ...first.spec.names, shortNames: ["zz"] } },
};
const shortNamesOf = async (client: HttpClient) => {
  const { spec } = await client.get(CustomResourceDefinitions, { name });
  return (spec as BundledCrd["spec"]).names.shortNames;
};

test("a CRD of an earlier version of the program is replaced", async () => {
  const { store, client } = started({ crds: [shorter] });
  expect(await shortNamesOf(client)).toEqual(["zz"]);
  expect(await shortNamesOf(started({ store }).client)).toEqual(first.spec.names.shortNames);
});

test("a CRD that is there already is not written again", async () => {
  const { store, client } = started();
  await client.get(CustomResourceDefinitions, { name });
  const { revision } = store;
  await started({ store }).client.get(CustomResourceDefinitions, { name });
  expect(store.revision).toBe(revision);
});

test("a CRD of volume snapshots stays as others have changed it", async () => {
  const { store, client } = started();
  const snapshots = { name: "volumesnapshots.snapshot.storage.k8s.io" };
  const names = { shortNames: ["mine"] };
  const patch = { spec: { names } };
  await client.patch(CustomResourceDefinitions, snapshots, { type: "merge", patch });
  const { spec } = await started({ store }).client.get(CustomResourceDefinitions, snapshots);
  expect(spec).toMatchObject(patch.spec);
});
