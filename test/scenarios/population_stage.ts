import { isPrime } from "../../src/core/volumes/populator/population_marks.ts";
import { type Restore, type RestoreSpec, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../src/kube/builtin.ts";
import type { Draft, Partially } from "../../src/kube/object.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { Stage } from "./stage.ts";

/** A Restore; without a target it waits for claims that name it. */
export async function restoreOf(stage: Stage, name: string, spec: Partially<RestoreSpec>): Promise<void> {
  const draft = {
    metadata: { namespace: stage.namespace, name },
    spec: { options: { ownership: "Exact" }, mover: { privilegedMode: true }, ...spec },
  };
  await stage.world.client.create(restoreResource, draft as unknown as Draft<Restore>);
}

/** A claim that is to be born with the data of a Restore. `storageClassName`: default the world's. */
export async function bornFrom(
  stage: Stage,
  name: string,
  restore: string,
  storageClassName = stage.world.storageClassName,
): Promise<void> {
  const { group: apiGroup, kind } = restoreResource;
  await stage.world.client.create(PersistentVolumeClaims, {
    metadata: { namespace: stage.namespace, name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "100Mi" } },
      dataSourceRef: { apiGroup, kind, name: restore },
      ...(storageClassName ? { storageClassName } : {}),
    },
  });
}

/** Once a claim is bound, and nothing but its own volume is left of what was made for it. */
export async function untilBorn(stage: Stage, name: string): Promise<void> {
  const { client } = stage.world;
  const { namespace } = stage;
  await stage.until(PersistentVolumeClaims, name, "Bound");
  const claim = await client.get(PersistentVolumeClaims, { namespace, name });
  await stage.eventually(`only the volume of ${name} is left`, async () => {
    const claims = await client.list(PersistentVolumeClaims, { namespace });
    const primes = claims.items.filter(isPrime).map(({ metadata }) => metadata.name);
    const volume = await client.get(PersistentVolumes, { name: claim.spec?.volumeName ?? "" });
    const policy = volume.spec?.persistentVolumeReclaimPolicy;
    return { done: primes.length === 0 && policy === "Delete", value: { primes, policy } };
  });
}

/** The Restore, once this is so for it. */
export async function untilRestore(
  stage: Stage,
  name: string,
  what: string,
  isSo: (restore: Restore) => boolean,
): Promise<Restore> {
  return stage.eventually(`Restore ${name}: ${what}`, async () => {
    const value = await stage.world.client.get(restoreResource, { namespace: stage.namespace, name });
    return { done: isSo(value), value };
  });
}

export function readyReason({ status }: Restore): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

/** A class like the one of a bound claim, but for this. */
export async function classLike(
  stage: Stage,
  claim: string,
  changes: { readonly volumeBindingMode?: string; readonly reclaimPolicy?: string },
): Promise<string> {
  const { client } = stage.world;
  const { spec } = await client.get(PersistentVolumeClaims, { namespace: stage.namespace, name: claim });
  const { provisioner, parameters } = await client.get(StorageClasses, {
    name: spec?.storageClassName ?? "",
  });
  const name = `like-${systemRandom.hex(4)}`;
  await client.create(StorageClasses, {
    metadata: { name },
    provisioner,
    ...changes,
    ...(parameters ? { parameters } : {}),
  });
  return name;
}
