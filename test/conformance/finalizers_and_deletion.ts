import { expect } from "vitest";
import { ConfigMaps, PersistentVolumeClaims, Pods } from "../../src/kube/builtin.ts";
import { names, refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

const finalizers = ["example.com/hold"];

export const finalizersAndDeletion: Theme = {
  name: "finalizers and deletion",
  cases: {
    "a deletion answers with success, and what it deleted": async ({ of, widgets, group }) => {
      const map = taken(await of(ConfigMaps).create({ metadata: { name: "gone" } }));
      expect(taken(await of(ConfigMaps).delete("gone"), 200)).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "gone", kind: "configmaps", uid: map.metadata.uid },
      });
      const widget = taken(await of(widgets).create({ metadata: { name: "gone" } }));
      expect(taken(await of(widgets).delete("gone"), 200)).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "gone", group, kind: "widgets", uid: widget.metadata.uid },
      });
      for (const things of [of(ConfigMaps), of(widgets)]) expect((await things.get("gone")).code).toBe(404);
    },

    "a missing object cannot be deleted": async ({ of }) => {
      refused(await of(ConfigMaps).delete("nobody"), 404, "NotFound", 'configmaps "nobody" not found');
    },

    "a deletion needs no body": async ({ of, api }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "bodiless" } }));
      taken(await api.send("DELETE", of(ConfigMaps).path("bodiless")), 200);
    },

    "an object with a finalizer stays, marked": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const made = taken(await things.create({ metadata: { name: "marked", finalizers } }));
        const deleted = taken(await things.delete("marked"), 200);
        expect(deleted.kind).toBe(things.resource.kind);
        expect(deleted.metadata).toMatchObject({
          uid: made.metadata.uid,
          finalizers,
          deletionTimestamp: expect.stringMatching(/Z$/),
          deletionGracePeriodSeconds: 0,
        });
        if (things.resource === widgets) expect(deleted.metadata.generation).toBe(2);
        taken(await things.patch("marked", "merge", { metadata: { finalizers: null } }));
        expect((await things.get("marked")).code).toBe(404);
      }
    },

    "deleting again changes nothing": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        taken(await things.create({ metadata: { name: "again", finalizers } }));
        const first = taken(await things.delete("again"), 200);
        const second = taken(await things.delete("again"), 200);
        expect(second.metadata).toEqual(first.metadata);
        taken(await things.patch("again", "merge", { metadata: { finalizers: null } }));
      }
    },

    "the last finalizer that goes takes the object along": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const two = ["example.com/a", "example.com/b"];
        taken(await things.create({ metadata: { name: "last", finalizers: two } }));
        taken(await things.delete("last"));
        const patched = taken(
          await things.patch("last", "merge", { metadata: { finalizers: ["example.com/b"] } }),
        );
        expect(patched.metadata.finalizers).toEqual(["example.com/b"]);
        const { finalizers: _, ...metadata } = patched.metadata;
        const answer = taken(await things.replace({ ...patched, metadata }), 200);
        expect(answer.metadata).not.toHaveProperty("finalizers");
        expect((await things.get("last")).code).toBe(404);
      }
    },

    "no finalizer is added to what is being deleted": async ({ of, widgets, group }) => {
      const more = { metadata: { finalizers: [...finalizers, "example.com/new"] } };
      const problem =
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}';
      taken(await of(ConfigMaps).create({ metadata: { name: "added", finalizers } }));
      taken(await of(ConfigMaps).delete("added"));
      refused(
        await of(ConfigMaps).patch("added", "merge", more),
        422,
        "Invalid",
        `ConfigMap "added" is invalid: ${problem}`,
      );
      taken(await of(widgets).create({ metadata: { name: "added", finalizers } }));
      taken(await of(widgets).delete("added"));
      refused(
        await of(widgets).patch("added", "merge", more),
        422,
        "Invalid",
        `Widget.${group} "added" is invalid: ${problem}`,
      );
      for (const things of [of(ConfigMaps), of(widgets)])
        taken(await things.patch("added", "merge", { metadata: { finalizers: null } }));
    },

    "what is being deleted can still be changed": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "changed", finalizers } }));
      taken(await of(ConfigMaps).delete("changed"));
      const patched = taken(await of(ConfigMaps).patch("changed", "merge", { data: { a: "1" } }), 200);
      expect(patched.data).toEqual({ a: "1" });
      taken(await of(ConfigMaps).patch("changed", "merge", { metadata: { finalizers: null } }));
    },

    "a name is free only when the old object is gone": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "name", finalizers } }));
      taken(await of(ConfigMaps).delete("name"));
      refused(
        await of(ConfigMaps).create({ metadata: { name: "name" } }),
        409,
        "AlreadyExists",
        'object is being deleted: configmaps "name" already exists',
      );
      taken(await of(ConfigMaps).patch("name", "merge", { metadata: { finalizers: null } }));
      taken(await of(ConfigMaps).create({ metadata: { name: "name" } }), 201);
    },

    "a deletion time cannot be taken back": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "back", finalizers } }));
      const deleted = taken(await of(ConfigMaps).delete("back"));
      const { deletionTimestamp, deletionGracePeriodSeconds: _, ...metadata } = deleted.metadata;
      const updated = taken(await of(ConfigMaps).replace({ ...deleted, metadata, data: { a: "1" } }), 200);
      expect(updated.metadata.deletionTimestamp).toBe(deletionTimestamp);
      taken(await of(ConfigMaps).patch("back", "merge", { metadata: { finalizers: null } }));
    },

    "a deletion may insist on a uid": async ({ of, widgets, group }) => {
      const uid = "00000000-0000-0000-0000-000000000000";
      const map = taken(await of(ConfigMaps).create({ metadata: { name: "uid" } }));
      refused(
        await of(ConfigMaps).delete("uid", { preconditions: { uid } }),
        409,
        "Conflict",
        `Operation cannot be fulfilled on ConfigMap "uid": the UID in the precondition (${uid}) does not match the UID in record (${map.metadata.uid}). The object might have been deleted and then recreated`,
      );
      const widget = taken(await of(widgets).create({ metadata: { name: "uid" } }));
      refused(
        await of(widgets).delete("uid", { preconditions: { uid } }),
        409,
        "Conflict",
        `Operation cannot be fulfilled on Widget.${group} "uid": the UID in the precondition (${uid}) does not match the UID in record (${widget.metadata.uid}). The object might have been deleted and then recreated`,
      );
      taken(await of(ConfigMaps).delete("uid", { preconditions: { uid: map.metadata.uid } }), 200);
    },

    "a deletion may insist on a version": async ({ of }) => {
      const made = taken(await of(ConfigMaps).create({ metadata: { name: "version" } }));
      const changed = taken(await of(ConfigMaps).patch("version", "merge", { data: { a: "1" } }));
      const { resourceVersion } = made.metadata;
      refused(
        await of(ConfigMaps).delete("version", { preconditions: { resourceVersion } }),
        409,
        "Conflict",
        `Operation cannot be fulfilled on ConfigMap "version": the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${changed.metadata.resourceVersion}). The object might have been modified`,
      );
      const current = { resourceVersion: changed.metadata.resourceVersion };
      taken(await of(ConfigMaps).delete("version", { preconditions: current }), 200);
    },

    "deletion options may come in the query": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "query" } }));
      const deleted = taken(await of(ConfigMaps).delete("query", {}, { propagationPolicy: "Orphan" }), 200);
      expect(["Status", "ConfigMap"]).toContain(deleted.kind);
      await of(ConfigMaps).untilGone("query");
    },

    "deleting a collection leaves what has finalizers, marked": async ({ of, widgets }) => {
      for (const things of [of(ConfigMaps), of(widgets)]) {
        const labels = { set: "collection" };
        taken(await things.create({ metadata: { name: "collection-1", labels, finalizers } }));
        taken(await things.create({ metadata: { name: "collection-2", labels } }));
        taken(await things.deleteCollection({ labelSelector: "set=collection" }), 200);
        expect(names(await things.list({ labelSelector: "set=collection" }))).toEqual(["collection-1"]);
        expect(taken(await things.get("collection-1")).metadata).toHaveProperty("deletionTimestamp");
        taken(await things.patch("collection-1", "merge", { metadata: { finalizers: null } }));
      }
    },

    "a claim is protected from the start": async ({ of }) => {
      const made = taken(
        await of(PersistentVolumeClaims).create({
          metadata: { name: "protected" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "",
            resources: { requests: { storage: "1Mi" } },
          },
        }),
        201,
      );
      expect(made.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
      taken(await of(PersistentVolumeClaims).delete("protected"));
      await of(PersistentVolumeClaims).untilGone("protected");
    },

    "a Pod without a node goes at once": async ({ of }) => {
      const spec = { containers: [{ name: "c", image: "none" }], nodeSelector: { no: "where" } };
      taken(await of(Pods).create({ metadata: { name: "unplaced" }, spec }), 201);
      const deleted = taken(await of(Pods).delete("unplaced"), 200);
      expect(deleted.metadata.deletionGracePeriodSeconds).toBe(0);
      expect((await of(Pods).get("unplaced")).code).toBe(404);
    },

    "a Pod on a node gets its grace": async ({ of }) => {
      const spec = { containers: [{ name: "c", image: "none" }], nodeName: "nowhere" };
      taken(await of(Pods).create({ metadata: { name: "placed" }, spec }), 201);
      const deleted = taken(await of(Pods).delete("placed"), 200);
      expect(deleted.metadata).toMatchObject({
        deletionGracePeriodSeconds: 30,
        deletionTimestamp: expect.any(String),
      });
      const sooner = taken(await of(Pods).delete("placed", { gracePeriodSeconds: 5 }), 200);
      expect(sooner.metadata.deletionGracePeriodSeconds).toBe(5);
      taken(await of(Pods).delete("placed", { gracePeriodSeconds: 0 }), 200);
      expect((await of(Pods).get("placed")).code).toBe(404);
    },
  },
};
