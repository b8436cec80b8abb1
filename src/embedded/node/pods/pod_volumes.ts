import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type {
  Container,
  DownwardAPIVolumeFile,
  KeyToPath,
  Volume,
  VolumeProjection,
} from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../../kube/builtin.ts";
import { ephemeralName } from "../volumes/ephemeral_claims.ts";
import { type KeyedData, type KeyedDataReader, Unavailable } from "./keyed_data.ts";
import type { Mount } from "./launch_script.ts";
import { podField } from "./pod_field.ts";

/** A claim's place on this machine. */
export interface ClaimFolder {
  readonly folder: string;
  /** The name of its PersistentVolume, where that is of a CSI driver. */
  readonly volume?: string;
  readonly readOnly: boolean;
}

export interface PodVolumesOptions {
  /** Where the pod's own volumes are made. */
  readonly folder: string;
  readonly data: KeyedDataReader;
  /** Throws Unavailable for a claim that cannot be mounted. */
  readonly claim: (name: string) => Promise<ClaimFolder>;
  /** Let pods mount folders of the host, and not only those of other pods' volumes. Default false. */
  readonly allowHostPath?: boolean;
}

interface Mounted extends ClaimFolder {
  /** Belongs to the pod, or to its claim: an fsGroup applies. */
  readonly owned: boolean;
}

interface File {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

const DEFAULT_MODE = 0o644;

/**
 * Makes the volumes of a pod, and says where each container sees them. A volume that is there already is left
 * as it is: Secrets and ConfigMaps stay as they were when the pod began. Throws Unavailable.
 */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #mounted = new Map<string, Mounted>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  async prepare(pod: Pod): Promise<void> {
    for (const volume of pod.spec?.volumes ?? []) {
      try {
        this.#mounted.set(volume.name, await this.#mount(pod, volume));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        throw new Unavailable(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`);
      }
    }
  }

  /** Folders that an fsGroup applies to. */
  get owned(): readonly string[] {
    return [...this.#mounted.values()].filter(({ owned }) => owned).map(({ folder }) => folder);
  }

  mountsOf({ volumeMounts = [] }: Container): readonly Mount[] {
    return volumeMounts.map(({ name, mountPath, readOnly = false, subPath }) => {
      const volume = this.#mounted.get(name);
      if (!volume) throw new Unavailable(`there is no volume "${name}"`);
      const source = realpathSync(subPath ? within(volume.folder, subPath) : volume.folder);
      const type = statSync(source).isDirectory() ? "folder" : "file";
      return { source, target: resolve("/", mountPath), readOnly: readOnly || volume.readOnly, type };
    });
  }

  async #mount(pod: Pod, volume: Volume): Promise<Mounted> {
    const { data, claim, allowHostPath = false } = this.#options;
    const folder = join(this.#options.folder, volume.name);
    const own = { folder, readOnly: false, owned: true };
    const { persistentVolumeClaim, emptyDir, secret, configMap, projected, downwardAPI, hostPath } = volume;
    if (volume.ephemeral) {
      const mounted = await claim(ephemeralName(pod, volume.name));
      this.#link(mounted);
      return { ...mounted, owned: true };
    }
    if (persistentVolumeClaim) {
      const mounted = await claim(persistentVolumeClaim.claimName);
      const { folder: place, readOnly } = mounted;
      this.#link(mounted);
      return { folder: place, readOnly: readOnly || persistentVolumeClaim.readOnly === true, owned: true };
    }
    if (emptyDir) {
      const place = join(this.#options.folder, "kubernetes.io~empty-dir", volume.name);
      mkdirSync(place, { recursive: true });
      chmodSync(place, 0o777);
      return { ...own, folder: place };
    }
    if (hostPath) {
      if (!allowHostPath && !this.#isOfPod(hostPath.path))
        throw new Unavailable(`hostPath ${hostPath.path} is not allowed on this node`);
      const isFolder = statSync(hostPath.path, { throwIfNoEntry: false })?.isDirectory() ?? false;
      if (hostPath.type === "Directory" && !isFolder)
        throw new Unavailable(`hostPath type check failed: ${hostPath.path} is not a directory`);
      return { folder: hostPath.path, readOnly: false, owned: false };
    }
    if (existsSync(folder)) return { ...own, readOnly: true };
    if (secret) {
      const { secretName = "", optional, items, defaultMode } = secret;
      fill(
        folder,
        filesOf(await data.read("secret", secretName, optional), { items, optional, mode: defaultMode }),
      );
    } else if (configMap) {
      const { name = "", optional, items, defaultMode } = configMap;
      fill(
        folder,
        filesOf(await data.read("configmap", name, optional), { items, optional, mode: defaultMode }),
      );
    } else if (downwardAPI) {
      fill(folder, downwardFiles(pod, downwardAPI.items, downwardAPI.defaultMode));
    } else if (projected) {
      const parts = (projected.sources ?? []).map((source) =>
        this.#project(pod, source, projected.defaultMode),
      );
      fill(folder, (await Promise.all(parts)).flat());
    } else {
      const kind = Object.keys(volume).find((key) => key !== "name") ?? "without a source";
      throw new Unavailable(`this node offers no volumes of the kind ${kind}`);
    }
    return { ...own, readOnly: true };
  }

  /** A claim's volume is also found where a kubelet would have mounted it. */
  #link({ folder, volume }: ClaimFolder): void {
    if (volume === undefined) return;
    const place = join(this.#options.folder, "kubernetes.io~csi", volume);
    mkdirSync(place, { recursive: true });
    if (!existsSync(join(place, "mount"))) symlinkSync(folder, join(place, "mount"));
  }

  /** Whether a folder of the host is the volume of some pod of this node. */
  #isOfPod(path: string): boolean {
    const pods = dirname(dirname(this.#options.folder));
    const [, volumes] = path.startsWith(pods + sep) ? path.slice(pods.length + 1).split(sep) : [];
    return volumes === "volumes" && resolve(path) === path;
  }

  async #project(pod: Pod, source: VolumeProjection, mode: number | undefined): Promise<readonly File[]> {
    const { data } = this.#options;
    const { secret, configMap, downwardAPI } = source;
    const keyed = secret ?? configMap;
    if (keyed) {
      const { name = "", optional, items } = keyed;
      return filesOf(await data.read(secret ? "secret" : "configmap", name, optional), {
        items,
        optional,
        mode,
      });
    }
    if (downwardAPI) return downwardFiles(pod, downwardAPI.items, mode);
    throw new Unavailable("this node issues no service account tokens");
  }
}

interface Picked {
  /** Default: every key, under its own name. */
  readonly items: readonly KeyToPath[] | undefined;
  /** Keys that are missing are left out. */
  readonly optional: boolean | undefined;
  readonly mode: number | undefined;
}

function filesOf(data: KeyedData, { items, optional, mode = DEFAULT_MODE }: Picked): readonly File[] {
  if (!items) return [...data].map(([path, content]) => ({ path, content, mode }));
  return items.flatMap(({ key, path, mode: own }) => {
    const content = data.get(key);
    if (content) return [{ path, content, mode: own ?? mode }];
    if (optional) return [];
    throw new Unavailable(`references non-existent secret or config key: ${key}`);
  });
}

function downwardFiles(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[] = [],
  mode = DEFAULT_MODE,
): readonly File[] {
  return items.map(({ path, fieldRef, mode: own }) => {
    if (!fieldRef) throw new Unavailable("this node offers no resourceFieldRef");
    return { path, content: Buffer.from(podField(pod, fieldRef.fieldPath)), mode: own ?? mode };
  });
}

/** All of the files or none of them: an attempt that failed half-way begins again. */
function fill(folder: string, files: readonly File[]): void {
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { recursive: true });
    for (const { path, content, mode } of files) {
      const target = within(folder, dirname(path));
      writeFileSync(join(target, path.slice(path.lastIndexOf("/") + 1)), content, { mode: 0o600 });
      chmodSync(join(folder, path), mode);
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A folder below another, made where it is missing. What leads out of it, by dots or by links, is refused. */
function within(folder: string, path: string): string {
  const target = resolve(folder, path);
  let existing = target;
  while (!existsSync(existing)) existing = dirname(existing);
  const inside = (place: string, root: string) => place === root || place.startsWith(root + sep);
  if (!inside(target, folder) || !inside(realpathSync(existing), realpathSync(folder))) {
    throw new Unavailable(`${path} leads out of its volume`);
  }
  mkdirSync(target, { recursive: true });
  return target;
}
