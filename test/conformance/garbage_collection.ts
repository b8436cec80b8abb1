import { expect } from "vitest";
import { ConfigMaps, Namespaces, Secrets } from "../../src/kube/builtin.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import type { Body, Collection } from "./world/api.ts";
import { taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

function ownedBy(owner: Body, more: object = {}) {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}

/**
 * Everything that was made before of this kind is known to the collector. A real one hears of objects when it comes to
 * it, and takes along as an orphan's what it had not seen when its owner went.
 */
async function noticed(things: Collection, name: string): Promise<void> {
  const { kind } = things.resource;
  const uid = "00000000-0000-0000-0000-000000000002";
  const reference = { apiVersion: apiVersionOf(things.resource), kind, name: "nobody", uid };
  taken(await things.create({ metadata: { name: `${name}-witness`, ownerReferences: [reference] } }), 201);
  await things.untilGone(`${name}-witness`);
}

async function family(things: Collection, name: string, more: object = {}): Promise<Body> {
  const owner = taken(await things.create({ metadata: { name } }));
  taken(
    await things.create({ metadata: { name: `${name}-child`, ownerReferences: [ownedBy(owner, more)] } }),
    201,
  );
  await noticed(things, name);
  return owner;
}

export const garbageCollection: Theme = {
  name: "garbage collection",
  cases: {
    "in the background: the owner goes, then what it owned": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        await family(things, "back");
        taken(await things.delete("back", { propagationPolicy: "Background" }), 200);
        expect((await things.get("back")).code).toBe(404);
        await things.untilGone("back-child");
      }
    },

    "without a policy it is the background": async ({ of }) => {
      await family(of(ConfigMaps), "default");
      taken(await of(ConfigMaps).delete("default"), 200);
      await of(ConfigMaps).untilGone("default-child");
    },

    "in the foreground: the owner waits for what blocks it": async ({ of }) => {
      const things = of(ConfigMaps);
      const owner = await family(things, "fore");
      const child = { name: "fore-blocking", finalizers: ["example.com/hold"] };
      taken(
        await things.create({
          metadata: { ...child, ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] },
        }),
      );
      await noticed(things, "fore-blocking");
      const deleted = taken(await things.delete("fore", { propagationPolicy: "Foreground" }), 200);
      expect(deleted.metadata.finalizers).toEqual(["foregroundDeletion"]);
      expect(deleted.metadata).toHaveProperty("deletionTimestamp");
      await things.untilGone("fore-child");
      await things.until("fore-blocking", (o) => o.metadata.deletionTimestamp !== undefined);
      taken(await things.get("fore"), 200);
      taken(await things.patch("fore-blocking", "merge", { metadata: { finalizers: null } }));
      await things.untilGone("fore");
    },

    "in the foreground: what does not block is not waited for": async ({ of }) => {
      const things = of(ConfigMaps);
      const owner = taken(await things.create({ metadata: { name: "loose" } }));
      const metadata = {
        name: "loose-child",
        finalizers: ["example.com/hold"],
        ownerReferences: [ownedBy(owner)],
      };
      taken(await things.create({ metadata }));
      await noticed(things, "loose");
      taken(await things.delete("loose", { propagationPolicy: "Foreground" }), 200);
      await things.untilGone("loose");
      taken(await things.patch("loose-child", "merge", { metadata: { finalizers: null } }));
      await things.untilGone("loose-child");
    },

    "orphans lose their reference and stay": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        await family(things, "orphan");
        const deleted = taken(await things.delete("orphan", { propagationPolicy: "Orphan" }), 200);
        expect(deleted.metadata.finalizers).toEqual(["orphan"]);
        await things.untilGone("orphan");
        const child = taken(await things.get("orphan-child"), 200);
        expect(child.metadata).not.toHaveProperty("ownerReferences");
        expect(child.metadata).not.toHaveProperty("deletionTimestamp");
      }
    },

    "of two owners the second keeps the object, without the first": async ({ of }) => {
      const things = of(ConfigMaps);
      const one = taken(await things.create({ metadata: { name: "two-a" } }));
      const two = taken(await things.create({ metadata: { name: "two-b" } }));
      taken(
        await things.create({
          metadata: { name: "two-child", ownerReferences: [ownedBy(one), ownedBy(two)] },
        }),
      );
      await noticed(things, "two");
      taken(await things.delete("two-a", { propagationPolicy: "Background" }));
      const child = await things.until("two-child", (o) => o.metadata.ownerReferences?.length === 1);
      expect(child.metadata.ownerReferences).toEqual([ownedBy(two)]);
      taken(await things.delete("two-b", { propagationPolicy: "Background" }));
      await things.untilGone("two-child");
    },

    "an owner that never was is as good as gone": async ({ of }) => {
      const uid = "00000000-0000-0000-0000-000000000001";
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid };
      taken(
        await of(ConfigMaps).create({ metadata: { name: "fatherless", ownerReferences: [reference] } }),
        201,
      );
      await of(ConfigMaps).untilGone("fatherless");
    },

    "an owner of the same name but another uid does not count": async ({ of }) => {
      const owner = taken(await of(ConfigMaps).create({ metadata: { name: "reborn" } }));
      const uid = "00000000-0000-0000-0000-000000000002";
      taken(
        await of(ConfigMaps).create({
          metadata: { name: "reborn-child", ownerReferences: [{ ...ownedBy(owner), uid }] },
        }),
      );
      await of(ConfigMaps).untilGone("reborn-child");
    },

    "an owner in another namespace does not count": async ({ of, api, unique }) => {
      const name = unique("owner");
      taken(await api.of(Namespaces).create({ metadata: { name } }));
      const owner = taken(await api.of(ConfigMaps, name).create({ metadata: { name: "afar" } }), 201);
      taken(await of(ConfigMaps).create({ metadata: { name: "near", ownerReferences: [ownedBy(owner)] } }));
      await of(ConfigMaps).untilGone("near");
      taken(await api.of(Namespaces).delete(name));
    },

    "kinds own each other": async ({ of, widgets }) => {
      const owner = taken(await of(widgets).create({ metadata: { name: "mixed" } }));
      expect(owner.apiVersion).toBe(apiVersionOf(widgets));
      taken(await of(Secrets).create({ metadata: { name: "mixed", ownerReferences: [ownedBy(owner)] } }));
      taken(await of(widgets).delete("mixed"));
      await of(Secrets).untilGone("mixed");
    },

    "a namespaced object may belong to one of the whole cluster": async ({ of, api, unique }) => {
      const name = unique("cluster");
      const owner = taken(await api.of(Namespaces).create({ metadata: { name } }));
      taken(await of(Secrets).create({ metadata: { name: "clustered", ownerReferences: [ownedBy(owner)] } }));
      taken(await api.of(Namespaces).delete(name));
      await api.of(Namespaces).untilGone(name);
      await of(Secrets).untilGone("clustered");
    },

    "grandchildren go too": async ({ of }) => {
      const things = of(ConfigMaps);
      await family(things, "grand");
      const child = taken(await things.get("grand-child"));
      taken(
        await things.create({ metadata: { name: "grand-grandchild", ownerReferences: [ownedBy(child)] } }),
      );
      taken(await things.delete("grand", { propagationPolicy: "Background" }));
      await things.untilGone("grand-grandchild");
    },
  },
};
