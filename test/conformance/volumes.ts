import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from "../../src/kube/builtin.ts";
import type { Body } from "./world/api.ts";
import { condition, refused, taken } from "./world/expectations.ts";
import { output, script } from "./world/running_pods.ts";
import type { Theme, World } from "./world/world.ts";

const PROTECTION = "kubernetes.io/pvc-protection";
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

export function claim(name: string, more: object = {}) {
  const resources = { requests: { storage: "1Mi" } };
  return { metadata: { name }, spec: { accessModes: ["ReadWriteOnce"], resources, ...more } };
}

export const isBound = ({ status }: Body): boolean => status?.phase === "Bound";

/** A claim that is bound. */
export async function bound(world: World, name: string, more: object = {}): Promise<Body> {
  taken(await world.of(PersistentVolumeClaims).create(claim(name, more)), 201);
  return world.of(PersistentVolumeClaims).until(name, isBound);
}

/** What a script says with the claim at /data. */
export function withClaim(world: World, pod: string, claimName: string, text: string): Promise<string> {
  return output(world, pod, mounting(world, claimName, text));
}

function mounting(world: World, claimName: string, text: string, mount: object = {}) {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
  return script(world, text, { volumeMounts: [{ name: "data", mountPath: "/data", ...mount }] }, { volumes });
}

async function defaultClass({ api }: World): Promise<Body> {
  const { items } = taken(await api.of(StorageClasses).list());
  const found = items.find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true");
  if (!found) throw new Error("there is no default StorageClass");
  return found;
}

/** A class like the default one, with other rules. */
async function newClass(world: World, more: object): Promise<string> {
  const { provisioner } = await defaultClass(world);
  const name = world.unique("class");
  taken(await world.api.of(StorageClasses).create({ metadata: { name }, provisioner, ...more }), 201);
  return name;
}

export const volumes: Theme = {
  name: "volumes",
  needsNode: true,
  cases: {
    "a claim gets the default class and a volume of its own": async (world) => {
      const { metadata } = await defaultClass(world);
      const made = taken(await world.of(PersistentVolumeClaims).create(claim("bound")), 201);
      expect(made.spec).toMatchObject({ storageClassName: metadata.name, volumeMode: "Filesystem" });
      expect(made.status).toEqual({ phase: "Pending" });
      const pvc = await world.of(PersistentVolumeClaims).until("bound", isBound);
      expect(pvc.status).toMatchObject({ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Mi" } });
      const volumeName = String(pvc.spec.volumeName);
      expect(volumeName).toBe(`pvc-${pvc.metadata.uid}`);
      const volume = taken(await world.api.of(PersistentVolumes).get(volumeName), 200);
      expect(volume.spec).toMatchObject({
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Mi" },
        claimRef: {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          namespace: world.namespace,
          name: "bound",
          uid: pvc.metadata.uid,
        },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: metadata.name,
        volumeMode: "Filesystem",
      });
      expect(volume.status.phase).toBe("Bound");
    },

    "a claim of no class, or of one that is not there, waits": async (world) => {
      taken(await world.of(PersistentVolumeClaims).create(claim("classless", { storageClassName: "" })), 201);
      taken(
        await world.of(PersistentVolumeClaims).create(claim("unknown", { storageClassName: "nonesuch" })),
        201,
      );
      await bound(world, "meanwhile");
      for (const name of ["classless", "unknown"]) {
        const pvc = taken(await world.of(PersistentVolumeClaims).get(name));
        expect(pvc.status).toEqual({ phase: "Pending" });
        taken(await world.of(PersistentVolumeClaims).delete(name));
      }
    },

    "a claim may wait for its first consumer": async (world) => {
      const storageClassName = await newClass(world, { volumeBindingMode: "WaitForFirstConsumer" });
      taken(await world.of(PersistentVolumeClaims).create(claim("patient", { storageClassName })), 201);
      await bound(world, "impatient");
      expect(taken(await world.of(PersistentVolumeClaims).get("patient")).status.phase).toBe("Pending");
      expect(await withClaim(world, "consumer", "patient", "echo here")).toBe("here\n");
      expect(taken(await world.of(PersistentVolumeClaims).get("patient")).status.phase).toBe("Bound");
      taken(await world.api.of(StorageClasses).delete(storageClassName));
    },

    "a class has its defaults": async (world) => {
      const name = await newClass(world, {});
      const made = taken(await world.api.of(StorageClasses).get(name));
      expect(made).toMatchObject({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
      taken(await world.api.of(StorageClasses).delete(name));
    },

    "a class does not change": async (world) => {
      const name = await newClass(world, {});
      refused(
        await world.api.of(StorageClasses).patch(name, "merge", { reclaimPolicy: "Retain" }),
        422,
        "Invalid",
        `StorageClass.storage.k8s.io "${name}" is invalid: reclaimPolicy: Invalid value: null: field is immutable`,
      );
      taken(await world.api.of(StorageClasses).delete(name));
    },

    "what a pod wrote the next one reads": async (world) => {
      await bound(world, "kept");
      await withClaim(world, "writer", "kept", "echo kept > /data/file");
      expect(await withClaim(world, "reader", "kept", "cat /data/file")).toBe("kept\n");
    },

    "a mount may be read-only, or a folder of the volume": async (world) => {
      await bound(world, "mounts");
      await withClaim(world, "mounts-1", "mounts", "mkdir /data/sub; echo deep > /data/sub/file");
      const readOnly = mounting(world, "mounts", "touch /data/x 2>/dev/null || echo refused", {
        readOnly: true,
      });
      expect(await output(world, "mounts-2", readOnly)).toBe("refused\n");
      const sub = mounting(world, "mounts", "cat /data/file", { subPath: "sub" });
      expect(await output(world, "mounts-3", sub)).toBe("deep\n");
    },

    "a claim in use stays until its pod is gone": async (world) => {
      await bound(world, "used");
      const claims = world.of(PersistentVolumeClaims);
      taken(
        await world
          .of(Pods)
          .create({ metadata: { name: "user" }, spec: mounting(world, "used", "sleep 600") }),
      );
      await world.of(Pods).until("user", ({ status }) => status.phase === "Running");
      const deleted = taken(await claims.delete("used"), 200);
      expect(deleted.metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: [PROTECTION],
      });
      taken(await claims.get("used"), 200);
      taken(await world.of(Pods).delete("user"));
      await claims.untilGone("used");
    },

    "a claim that lost its protection gets it back": async (world) => {
      await bound(world, "guarded");
      const claims = world.of(PersistentVolumeClaims);
      taken(await claims.patch("guarded", "merge", { metadata: { finalizers: null } }), 200);
      await claims.until("guarded", ({ metadata }) => metadata.finalizers?.includes(PROTECTION) === true);
    },

    "a pod that has ended still holds its claim": async (world) => {
      await bound(world, "ended");
      const claims = world.of(PersistentVolumeClaims);
      await withClaim(world, "ended", "ended", "true");
      taken(await claims.delete("ended"), 200);
      await bound(world, "ended-meanwhile");
      taken(await claims.get("ended"), 200);
      taken(await world.of(Pods).delete("ended"));
      await claims.untilGone("ended");
    },

    "a volume goes with its claim": async (world) => {
      const pvc = await bound(world, "reclaimed");
      taken(await world.of(PersistentVolumeClaims).delete("reclaimed"));
      await world.api.of(PersistentVolumes).untilGone(String(pvc.spec.volumeName));
    },

    "a volume that is to be retained is released": async (world) => {
      const storageClassName = await newClass(world, { reclaimPolicy: "Retain" });
      const pvc = await bound(world, "retained", { storageClassName });
      const name = String(pvc.spec.volumeName);
      taken(await world.of(PersistentVolumeClaims).delete("retained"));
      const volumes = world.api.of(PersistentVolumes);
      const volume = await volumes.until(name, ({ status }) => status.phase === "Released");
      expect(volume.spec).toMatchObject({
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { uid: pvc.metadata.uid },
      });
      const since = String(volume.status.lastPhaseTransitionTime);
      expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(volume.metadata.creationTimestamp));
      taken(await volumes.patch(name, "merge", { spec: { persistentVolumeReclaimPolicy: "Delete" } }));
      await volumes.untilGone(name);
      taken(await world.api.of(StorageClasses).delete(storageClassName));
    },

    "a released volume serves a claim that names it": async (world) => {
      const storageClassName = await newClass(world, { reclaimPolicy: "Retain" });
      const pvc = await bound(world, "before", { storageClassName });
      const volumeName = String(pvc.spec.volumeName);
      await withClaim(world, "before", "before", "echo saved > /data/file");
      taken(await world.of(Pods).delete("before"));
      taken(await world.of(PersistentVolumeClaims).delete("before"));
      const volumes = world.api.of(PersistentVolumes);
      await volumes.until(volumeName, ({ status }) => status.phase === "Released");
      taken(
        await volumes.patch(volumeName, "json", [
          { op: "remove", path: "/spec/claimRef/uid" },
          { op: "remove", path: "/spec/claimRef/resourceVersion" },
          { op: "replace", path: "/spec/claimRef/name", value: "after" },
        ]),
      );
      await bound(world, "after", { storageClassName, volumeName });
      expect(await withClaim(world, "after", "after", "cat /data/file")).toBe("saved\n");
      taken(await volumes.patch(volumeName, "merge", { spec: { persistentVolumeReclaimPolicy: "Delete" } }));
      taken(await world.of(Pods).delete("after"));
      taken(await world.of(PersistentVolumeClaims).delete("after"));
      taken(await world.api.of(StorageClasses).delete(storageClassName));
    },

    "the spec of a claim does not change": async (world) => {
      await bound(world, "fixed");
      refused(
        await world
          .of(PersistentVolumeClaims)
          .patch("fixed", "merge", { spec: { accessModes: ["ReadWriteMany"] } }),
        422,
        "Invalid",
        /^PersistentVolumeClaim "fixed" is invalid: spec: Forbidden: spec is immutable after creation except resources\.requests and volumeAttributesClassName for bound claims/,
      );
    },

    "a claim grows only where its class allows it, and never shrinks": async (world) => {
      const storageClassName = await newClass(world, { allowVolumeExpansion: true });
      await bound(world, "growing", { storageClassName, resources: { requests: { storage: "2Mi" } } });
      const fixedClass = await newClass(world, { allowVolumeExpansion: false });
      await bound(world, "settled", { storageClassName: fixedClass });
      const size = (storage: string) => ({ spec: { resources: { requests: { storage } } } });
      const claims = world.of(PersistentVolumeClaims);
      const grown = taken(await claims.patch("growing", "merge", size("3Mi")), 200);
      expect(grown.spec.resources).toEqual({ requests: { storage: "3Mi" } });
      refused(
        await claims.patch("growing", "merge", size("1Mi")),
        422,
        "Invalid",
        'PersistentVolumeClaim "growing" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
      );
      refused(
        await claims.patch("settled", "merge", size("2Mi")),
        403,
        "Forbidden",
        'persistentvolumeclaims "settled" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
      for (const name of [storageClassName, fixedClass])
        taken(await world.api.of(StorageClasses).delete(name));
    },

    "a clone has the data of its source": async (world) => {
      await bound(world, "source");
      await withClaim(world, "source-writer", "source", "echo original > /data/file");
      const dataSource = { kind: "PersistentVolumeClaim", name: "source" };
      await bound(world, "clone", { dataSource });
      await withClaim(world, "source-again", "source", "echo later > /data/file");
      expect(await withClaim(world, "clone-reader", "clone", "cat /data/file")).toBe("original\n");
    },

    "dataSource and dataSourceRef are the same, written twice": async (world) => {
      const dataSource = { kind: "PersistentVolumeClaim", name: "none" };
      const made = taken(
        await world.of(PersistentVolumeClaims).create(claim("twice", { dataSource }), { dryRun: "All" }),
      );
      expect(made.spec).toMatchObject({ dataSource, dataSourceRef: dataSource });
    },

    "a claim whose source is of an unknown kind waits for its populator": async (world) => {
      const dataSourceRef = { apiGroup: "example.com", kind: "Backup", name: "last" };
      const made = taken(
        await world.of(PersistentVolumeClaims).create(claim("populated", { dataSourceRef })),
        201,
      );
      expect(made.spec).toMatchObject({ dataSourceRef, dataSource: dataSourceRef });
      await bound(world, "unpopulated");
      expect(taken(await world.of(PersistentVolumeClaims).get("populated")).status.phase).toBe("Pending");
      taken(await world.of(PersistentVolumeClaims).delete("populated"));
    },

    "a volume can be handed over to a claim that waits for its populator": async (world) => {
      const claims = world.of(PersistentVolumeClaims);
      const volumes = world.api.of(PersistentVolumes);
      const dataSourceRef = { apiGroup: "example.com", kind: "Backup", name: "last" };
      const waiting = taken(await claims.create(claim("born", { dataSourceRef })), 201);
      const prime = await bound(world, "prime");
      const volumeName = String(prime.spec.volumeName);
      await withClaim(world, "filler", "prime", "echo filled > /data/file");
      taken(await world.of(Pods).delete("filler"));
      const { name, uid } = waiting.metadata;
      const { namespace } = world;
      const spec = {
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
        persistentVolumeReclaimPolicy: "Retain",
      };
      taken(await volumes.patch(volumeName, "merge", { spec }), 200);
      const born = await claims.until("born", isBound);
      expect(born.spec).toMatchObject({ volumeName, dataSourceRef });
      await claims.until("prime", ({ status }) => status?.phase === "Lost");
      taken(await claims.delete("prime"));
      await claims.untilGone("prime");
      taken(await volumes.patch(volumeName, "merge", { spec: { persistentVolumeReclaimPolicy: "Delete" } }));
      expect(taken(await volumes.get(volumeName)).status.phase).toBe("Bound");
      expect(await withClaim(world, "born", "born", "cat /data/file")).toBe("filled\n");
      taken(await world.of(Pods).delete("born"));
      taken(await claims.delete("born"));
      await volumes.untilGone(volumeName);
    },

    "a pod waits for a claim that is missing": async (world) => {
      const spec = mounting(world, "no-claim", "true");
      taken(await world.of(Pods).create({ metadata: { name: "claimless" }, spec }), 201);
      const pod = await world.of(Pods).until("claimless", (o) => condition(o, "PodScheduled") !== undefined);
      expect(pod.status.phase).toBe("Pending");
      expect(condition(pod, "PodScheduled")).toMatchObject({ status: "False", reason: "Unschedulable" });
      expect(condition(pod, "PodScheduled")?.message).toMatch(/persistentvolumeclaim "no-claim" not found/);
      taken(await world.of(Pods).delete("claimless", { gracePeriodSeconds: 0 }));
    },
  },
};
