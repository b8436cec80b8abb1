import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { allowsPrivileges } from "../../../core/consent/privileges.ts";
import { GROUP } from "../../../kinds/velero/group.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import {
  ConfigMaps,
  DaemonSets,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  type Pod,
  Pods,
  type Stored,
} from "../../../kube/builtin.ts";
import { keyOf } from "../../../kube/object.ts";
import { claimOf } from "../host_path.ts";
import { concurrencyAt, type NodeAgentConfig, nodeAgentConfig } from "../node_agent_config.ts";
import type { VeleroPorts } from "../ports.ts";
import { type FoundRepository, findRepository } from "../repository/find_repository.ts";
import { type Inherited, inheritedFrom, NODE_AGENT } from "./inherited.ts";
import { type PodVolume, repositoryTypeOf } from "./pod_volume.ts";
import { type Surroundings, volumeNamespaceOf } from "./readiness.ts";

/** With which a namespace other than Velero's lets movers read and write the volumes of pods as root. */
export const CONSENT_ANNOTATION = `${GROUP}/allow-privileged-movers`;

const CONFIG_AGE = 5_000;

/** Looks up what decides whether an object can be accepted. */
export async function surroundingsOf(
  ports: VeleroPorts,
  object: PodVolume,
  signal: AbortSignal,
): Promise<Surroundings> {
  const { client, caches } = ports;
  const { namespace = "" } = object.metadata;
  const { volume, backupStorageLocation: location } = object.spec;
  const pod = await podOf(ports, object, signal);
  return {
    object,
    location: caches.locations.get(keyOf({ namespace, name: location })),
    repository: repositoryFor({ caches }, object),
    pod,
    persistent: pod && (await persistentOf({ client }, object, claimOf(pod, volume), signal)),
    podsFolder: podsFolderOf(ports),
  };
}

/** Where kubelets keep what belongs to pods, if that was said. */
export function podsFolderOf({ own, settings }: Pick<VeleroPorts, "own" | "settings">): string | undefined {
  return own.podsFolder ?? settings.podsFolder;
}

/** The pod whose volume it is, if there is one. */
export async function podOf(
  { client }: Pick<VeleroPorts, "client">,
  { spec }: PodVolume,
  signal: AbortSignal,
): Promise<Pod | undefined> {
  const key = { namespace: spec.pod.namespace ?? "", name: spec.pod.name ?? "" };
  return (await client.get(Pods, key, { signal }).catch(ignoreGone)) ?? undefined;
}

/** Whether the objects of a namespace are worked on: movers are root there. Those of another Velero's are left to it. */
export function consents({ caches, own }: Pick<VeleroPorts, "caches" | "own">, namespace: string): boolean {
  const home = caches.namespaces.get(keyOf({ name: namespace }));
  return namespace === own.namespace || allowsPrivileges(home, CONSENT_ANNOTATION);
}

/** The repository that the data of an object is in, or goes to. */
export function repositoryFor({ caches }: Pick<VeleroPorts, "caches">, object: PodVolume): FoundRepository {
  const { namespace } = object.metadata;
  const there = [...caches.repositories.values()].filter((one) => one.metadata.namespace === namespace);
  const { backupStorageLocation: location } = object.spec;
  const type = repositoryTypeOf(object);
  return findRepository(there, { volumeNamespace: volumeNamespaceOf(object), location, type });
}

async function persistentOf(
  { client }: Pick<VeleroPorts, "client">,
  object: PodVolume,
  name: string | undefined,
  signal: AbortSignal,
): Promise<Surroundings["persistent"]> {
  if (name === undefined) return undefined;
  const claim = await claimIn({ client }, object, name, signal);
  const volumeName = claim?.spec?.volumeName;
  if (volumeName === undefined) return undefined;
  const volume = await client.get(PersistentVolumes, { name: volumeName }, { signal }).catch(ignoreGone);
  const { uid = "" } = claim?.metadata ?? {};
  return volume?.spec && { name: volumeName, spec: volume.spec, claim: { name, uid } };
}

/** The PVC of this name that a pod of the object's uses, if there is one. */
export async function claimIn(
  { client }: Pick<VeleroPorts, "client">,
  { spec }: PodVolume,
  name: string,
  signal: AbortSignal,
): Promise<Stored<PersistentVolumeClaim> | undefined> {
  const { namespace = "" } = spec.pod;
  const found = await client.get(PersistentVolumeClaims, { namespace, name }, { signal }).catch(ignoreGone);
  return found ?? undefined;
}

/** The settings of the data path in a namespace, a few seconds old at most: every volume that waits asks for them. */
export async function configIn(
  { client, clock, own, configs }: Pick<VeleroPorts, "client" | "clock" | "own" | "configs">,
  namespace: string,
  signal: AbortSignal,
): Promise<NodeAgentConfig> {
  const known = configs.get(namespace);
  if (known && clock.monotonic() - known.readAt < CONFIG_AGE) return known.config;
  const name = own.nodeAgentConfigMap;
  const found = await client.get(ConfigMaps, { namespace, name }, { signal }).catch(ignoreGone);
  const config = nodeAgentConfig(found ?? undefined);
  configs.set(namespace, { config, readAt: clock.monotonic() });
  return config;
}

/** What the movers of a namespace inherit from its node agent. */
export async function inheritedIn(
  { client }: Pick<VeleroPorts, "client">,
  namespace: string,
  signal: AbortSignal,
): Promise<Inherited> {
  const name = NODE_AGENT;
  return inheritedFrom(
    (await client.get(DaemonSets, { namespace, name }, { signal }).catch(ignoreGone)) ?? undefined,
  );
}

/** How many volumes of a node are worked on at once. */
export async function concurrencyOn(
  { client }: Pick<VeleroPorts, "client">,
  config: NodeAgentConfig,
  node: string,
  signal: AbortSignal,
): Promise<number> {
  if (config.perNode.length === 0) return config.concurrency;
  const found = await client.get(Nodes, { name: node }, { signal }).catch(ignoreGone);
  return concurrencyAt(config, found?.metadata.labels ?? {});
}
