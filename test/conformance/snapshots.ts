import { expect } from "vitest";
import { PersistentVolumeClaims, Pods } from "../../src/kube/builtin.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { bound, claim, withClaim } from "./volumes.ts";
import type { Body } from "./world/api.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme, World } from "./world/world.ts";

const group = "snapshot.storage.k8s.io";
const version = "v1";
const Snapshots: Resource = {
  group,
  version,
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  namespaced: true,
};
const Contents: Resource = {
  group,
  version,
  kind: "VolumeSnapshotContent",
  plural: "volumesnapshotcontents",
  namespaced: false,
};
const Classes: Resource = {
  group,
  version,
  kind: "VolumeSnapshotClass",
  plural: "volumesnapshotclasses",
  namespaced: false,
};

const ofClaim = (name: string, claimName: string, more: object = {}) => ({
  metadata: { name },
  spec: { source: { persistentVolumeClaimName: claimName }, ...more },
});

async function ready(world: World, name: string, claimName: string, more: object = {}): Promise<Body> {
  taken(await world.of(Snapshots).create(ofClaim(name, claimName, more)), 201);
  return world.of(Snapshots).until(name, ({ status }) => status?.readyToUse === true);
}

const from = (name: string) => ({ dataSource: { apiGroup: group, kind: "VolumeSnapshot", name } });

async function defaultClass({ api }: World): Promise<Body> {
  const { items } = taken(await api.of(Classes).list());
  const found = items.find(
    ({ metadata }) => metadata.annotations?.["snapshot.storage.kubernetes.io/is-default-class"] === "true",
  );
  if (!found) throw new Error("there is no default VolumeSnapshotClass");
  return found;
}

export const snapshots: Theme = {
  name: "snapshots",
  needsNode: true,
  cases: {
    "a snapshot gets the default class, and a content that points back": async (world) => {
      const { metadata, driver } = await defaultClass(world);
      await bound(world, "first");
      const snapshot = await ready(world, "first", "first");
      expect(snapshot.spec.volumeSnapshotClassName).toBe(metadata.name);
      expect(snapshot.status).toMatchObject({
        readyToUse: true,
        restoreSize: expect.any(String),
        creationTime: expect.stringMatching(/Z$/),
        boundVolumeSnapshotContentName: `snapcontent-${snapshot.metadata.uid}`,
      });
      const content = taken(await world.api.of(Contents).get(`snapcontent-${snapshot.metadata.uid}`), 200);
      expect(content.spec).toMatchObject({
        deletionPolicy: "Delete",
        driver,
        source: { volumeHandle: expect.any(String) },
        volumeSnapshotClassName: metadata.name,
        volumeSnapshotRef: {
          kind: "VolumeSnapshot",
          namespace: world.namespace,
          name: "first",
          uid: snapshot.metadata.uid,
        },
      });
      expect(content.status).toMatchObject({ readyToUse: true, snapshotHandle: expect.any(String) });
    },

    "a claim from a snapshot has the data of that moment": async (world) => {
      await bound(world, "moment");
      await withClaim(world, "moment-1", "moment", "echo then > /data/file");
      await ready(world, "moment", "moment");
      await withClaim(world, "moment-2", "moment", "echo now > /data/file");
      await bound(world, "moment-back", from("moment"));
      expect(await withClaim(world, "moment-3", "moment-back", "cat /data/file")).toBe("then\n");
      expect(await withClaim(world, "moment-4", "moment", "cat /data/file")).toBe("now\n");
    },

    "a claim from a snapshot that is missing waits": async (world) => {
      taken(await world.of(PersistentVolumeClaims).create(claim("early", from("early"))), 201);
      await bound(world, "early-source");
      expect(taken(await world.of(PersistentVolumeClaims).get("early")).status.phase).toBe("Pending");
      await ready(world, "early", "early-source");
      await world.of(PersistentVolumeClaims).until("early", ({ status }) => status.phase === "Bound");
    },

    "a snapshot outlives its claim": async (world) => {
      await bound(world, "mortal");
      await withClaim(world, "mortal-1", "mortal", "echo alive > /data/file");
      await ready(world, "mortal", "mortal");
      taken(await world.of(Pods).delete("mortal-1"));
      taken(await world.of(PersistentVolumeClaims).delete("mortal"));
      await world.of(PersistentVolumeClaims).untilGone("mortal");
      await bound(world, "mortal-back", from("mortal"));
      expect(await withClaim(world, "mortal-2", "mortal-back", "cat /data/file")).toBe("alive\n");
    },

    "a deleted snapshot takes its content along": async (world) => {
      await bound(world, "gone");
      const snapshot = await ready(world, "gone", "gone");
      taken(await world.of(Snapshots).delete("gone"), 200);
      await world.of(Snapshots).untilGone("gone");
      await world.api.of(Contents).untilGone(String(snapshot.status.boundVolumeSnapshotContentName));
    },

    "a content that is to be retained stays, and serves a snapshot elsewhere": async (world) => {
      const { driver } = await defaultClass(world);
      const name = world.unique("retain");
      taken(
        await world.api.of(Classes).create({ metadata: { name }, driver, deletionPolicy: "Retain" }),
        201,
      );
      await bound(world, "retained");
      await withClaim(world, "retained-1", "retained", "echo retained > /data/file");
      const snapshot = await ready(world, "retained", "retained", { volumeSnapshotClassName: name });
      const old = String(snapshot.status.boundVolumeSnapshotContentName);
      const { snapshotHandle } = taken(await world.api.of(Contents).get(old)).status;
      taken(await world.of(Snapshots).delete("retained"));
      await world.of(Snapshots).untilGone("retained");
      taken(await world.api.of(Contents).get(old), 200);
      const content = world.unique("content");
      taken(
        await world.api.of(Contents).create({
          metadata: { name: content },
          spec: {
            deletionPolicy: "Retain",
            driver,
            source: { snapshotHandle },
            volumeSnapshotRef: { namespace: world.namespace, name: "imported" },
          },
        }),
        201,
      );
      const spec = { source: { volumeSnapshotContentName: content } };
      taken(await world.of(Snapshots).create({ metadata: { name: "imported" }, spec }), 201);
      await world.of(Snapshots).until("imported", ({ status }) => status?.readyToUse === true);
      await bound(world, "imported", from("imported"));
      expect(await withClaim(world, "imported", "imported", "cat /data/file")).toBe("retained\n");
      taken(await world.of(Snapshots).delete("imported"));
      await world.of(Snapshots).untilGone("imported");
      const contents = world.api.of(Contents);
      taken(await contents.patch(old, "merge", { spec: { deletionPolicy: "Delete" } }));
      for (const one of [content, old]) {
        taken(await contents.delete(one));
        await contents.untilGone(one);
      }
      taken(await world.api.of(Classes).delete(name));
    },

    "a snapshot of a claim that is missing says so": async (world) => {
      taken(await world.of(Snapshots).create(ofClaim("lost", "no-claim")), 201);
      const snapshot = await world.of(Snapshots).until("lost", ({ status }) => status?.error !== undefined);
      expect(snapshot.status.error).toMatchObject({
        message: expect.stringMatching(/no-claim.*not found/),
        time: expect.stringMatching(/Z$/),
      });
      expect(snapshot.status.readyToUse).not.toBe(true);
      taken(await world.of(Snapshots).delete("lost"));
    },

    "a snapshot has exactly one source, for good": async (world) => {
      refused(
        await world.of(Snapshots).create({ metadata: { name: "none" }, spec: { source: {} } }),
        422,
        "Invalid",
        `VolumeSnapshot.${group} "none" is invalid: spec.source: Invalid value: exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set`,
      );
      taken(await world.of(Snapshots).create(ofClaim("sworn", "no-claim-1")), 201);
      refused(
        await world
          .of(Snapshots)
          .patch("sworn", "merge", { spec: { source: { persistentVolumeClaimName: "other" } } }),
        422,
        "Invalid",
        `VolumeSnapshot.${group} "sworn" is invalid: spec.source.persistentVolumeClaimName: Invalid value: "other": persistentVolumeClaimName is immutable`,
      );
      taken(await world.of(Snapshots).delete("sworn"));
    },
  },
};
