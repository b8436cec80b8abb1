import { posix } from "node:path";
import type { Volume, VolumeMount, VolumeProjection } from "kubernetes-types/core/v1.d.ts";
import { objectName } from "../../lib/names.ts";
import { POD_LAYOUT } from "../../wire/pod_layout.ts";
import type { CacheVolume, MoverFiles } from "./mover_settings.ts";
import { RUN_LABEL } from "./run_labels.ts";
import type { HostVolume, RepositoryVolume, RunRequest, RunVolume } from "./run_request.ts";
import {
  type CredentialSource,
  DESTINATION_PREFIX,
  LENT_PASSWORD,
  type RepositorySecrets,
  type SecretPlace,
} from "./run_secrets.ts";

/** A volume of a mover's pod, and where the mover sees it. */
export interface Mounted {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

/** Readable for whomever the mover runs as: the kubelet would give it to the mover's group only with an fsGroup. */
const READABLE = 0o444;

/** Everything that is mounted in a mover's pod. */
export function moverVolumes(request: RunRequest): readonly Mounted[] {
  const { id, secrets, volumes = [], hostVolume, repositoryVolume, mover } = request;
  const { destination } = secrets;
  return [
    readOnly("work", posix.dirname(POD_LAYOUT.work), { configMap: { name: id, defaultMode: READABLE } }),
    ...secretVolumes(id, secrets, {
      prefix: "",
      password: POD_LAYOUT.password,
      credentials: POD_LAYOUT.credentials,
    }),
    ...(destination
      ? secretVolumes(id, destination, {
          prefix: DESTINATION_PREFIX,
          password: POD_LAYOUT.destinationPassword,
          credentials: POD_LAYOUT.destinationCredentials,
        })
      : []),
    writable("cache", POD_LAYOUT.cache, cacheSource(id, mover.cache)),
    writable("scratch", POD_LAYOUT.scratch, { emptyDir: {} }),
    // Some engine puts its marks beside the folder that it restores.
    writable("volumes", POD_LAYOUT.volumes, { emptyDir: {} }),
    ...(repositoryVolume ? [repositoryMount(repositoryVolume)] : []),
    ...volumes.map(claimMount),
    ...(hostVolume ? [hostMount(hostVolume)] : []),
    ...(mover.files ?? []).map(filesMount),
  ];
}

type Source = Omit<Volume, "name">;

function readOnly(name: string, mountPath: string, source: Source): Mounted {
  return { volume: { name, ...source }, mount: { name, mountPath, readOnly: true } };
}

function writable(name: string, mountPath: string, source: Source): Mounted {
  return { volume: { name, ...source }, mount: { name, mountPath } };
}

function secretVolumes(
  id: string,
  { password, credentials = [] }: RepositorySecrets,
  paths: { readonly prefix: string; readonly password: string; readonly credentials: string },
): readonly Mounted[] {
  const key = "lent" in password ? `${paths.prefix}${LENT_PASSWORD}` : password.key;
  const file = { key, path: posix.basename(paths.password) };
  const secret = { secretName: secretName(id, password), items: [file], defaultMode: READABLE };
  const sources = credentials.flatMap((source) => projections(id, source, paths.prefix));
  return [
    readOnly(`${paths.prefix}password`, posix.dirname(paths.password), { secret }),
    ...(sources.length === 0
      ? []
      : [
          readOnly(`${paths.prefix}credentials`, paths.credentials, {
            projected: { sources, defaultMode: READABLE },
          }),
        ]),
  ];
}

/** A projection is optional as a whole: keys that may be missing need one of their own. */
function projections(id: string, source: CredentialSource, prefix: string): VolumeProjection[] {
  const name = secretName(id, source);
  if (!source.items) return [{ secret: { name } }];
  return [false, true].flatMap((optional) => {
    const items = (source.items ?? [])
      .filter((item) => (item.optional ?? false) === optional)
      .map(({ key, as }) => ({ key: "lent" in source ? `${prefix}${as}` : key, path: as }));
    return items.length === 0 ? [] : [{ secret: { name, items, ...(optional ? { optional } : {}) } }];
  });
}

function secretName(id: string, place: SecretPlace): string {
  return "lent" in place ? id : place.secret;
}

function cacheSource(id: string, cache: CacheVolume = { emptyDir: {} }): Source {
  if ("claim" in cache) return { persistentVolumeClaim: { claimName: cache.claim } };
  if ("emptyDir" in cache) return { emptyDir: { ...cache.emptyDir } };
  const { storageClassName, capacity: storage } = cache.ephemeral;
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } };
  return { ephemeral: { volumeClaimTemplate: { metadata: { labels: { [RUN_LABEL]: id } }, spec } } };
}

function filesMount({ mountPath, subPath, ...source }: MoverFiles, at: number): Mounted {
  const { volume, mount } = readOnly(`files-${at}`, mountPath, source);
  return { volume, mount: { ...mount, ...(subPath ? { subPath } : {}) } };
}

function repositoryMount(volume: RepositoryVolume): Mounted {
  const source =
    "claim" in volume
      ? { persistentVolumeClaim: { claimName: volume.claim, ...(volume.readOnly ? { readOnly: true } : {}) } }
      : { hostPath: { path: volume.hostPath } };
  const mounted = volume.readOnly ? readOnly : writable;
  return mounted("repository", POD_LAYOUT.repository, source);
}

function claimMount({ name, claim, readOnly: protectedFromUs, mountPath }: RunVolume): Mounted {
  const mounted = protectedFromUs ? readOnly : writable;
  return mounted(objectName("data", name), mountPath ?? volumePath(name), {
    persistentVolumeClaim: { claimName: claim, ...(protectedFromUs ? { readOnly: true } : {}) },
  });
}

/** Only a folder that is there is mounted: the kubelet would create it otherwise. */
function hostMount(volume: HostVolume): Mounted {
  const { name, hostPath, readOnly: protectedFromUs, mountPath = volumePath(name) } = volume;
  const { mountPropagation = protectedFromUs ? "HostToContainer" : "None" } = volume;
  const mounted = protectedFromUs ? readOnly : writable;
  const source = { hostPath: { path: hostPath, type: "Directory" } };
  const { volume: made, mount } = mounted(objectName("data", name), mountPath, source);
  return { volume: made, mount: { ...mount, mountPropagation } };
}

/** Where the mover sees a volume that has no mount path of its own. */
export function volumePath(name: string): string {
  return posix.join(POD_LAYOUT.volumes, name);
}
