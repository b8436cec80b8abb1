import { posix } from "node:path";
import type { PodSecurityContext, PodSpec } from "kubernetes-types/core/v1.d.ts";
import { type ConfigMap, ConfigMaps, type Job, Jobs, type Secret, Secrets } from "../../kube/builtin.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { ownerReference } from "../../kube/write/owners.ts";
import { POD_LAYOUT } from "../../wire/pod_layout.ts";
import { WORK_VERSION, type WorkSpec, workKind } from "../../wire/work.ts";
import { moverPodSecurity, moverSecurity } from "./mover_security.ts";
import { moverVolumes } from "./mover_volumes.ts";
import { OPERATION_ANNOTATION, RUN_LABEL, runAnnotations, runLabels } from "./run_labels.ts";
import type { RunRequest } from "./run_request.ts";
import type { LentData } from "./run_secrets.ts";

/** The name of the mover's container. */
export const MOVER_CONTAINER = "mover";
/** How long a mover that is told to end may take, in seconds. */
export const DEFAULT_GRACE = 60;
/**
 * A mover sizes its engine by the limit that it finds: with none it would grow until the node has no memory left, and
 * others are killed for it. Processors are not limited: to be throttled makes nothing safer.
 */
export const DEFAULT_RESOURCES = {
  requests: { cpu: "250m", memory: "512Mi" },
  limits: { memory: "4Gi" },
} as const;

/**
 * The Job of a run. It is created suspended, since what it mounts can only belong to it once it exists. It fails
 * with its first pod, as a new attempt is a new run; and it has no lifetime yet, as its report may still be unread.
 */
export function moverJob(request: RunRequest): Draft<Job> {
  const { id, namespace, owner, labels, mover, activeDeadlineSeconds } = request;
  const own = { ...labels, ...runLabels(request) };
  const annotations = { ...runAnnotations(request), [OPERATION_ANNOTATION]: workKind(request.work.work) };
  return {
    metadata: { name: id, namespace, labels: own, annotations, ownerReferences: [owner] },
    spec: {
      suspend: true,
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      podReplacementPolicy: "Failed",
      ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
      template: {
        metadata: {
          labels: { ...mover.labels, ...own },
          annotations: { ...mover.annotations, ...annotations },
        },
        spec: moverPod(request),
      },
    },
  };
}

function moverPod(request: RunRequest): PodSpec {
  const { id, mover, args } = request;
  const mounted = moverVolumes(request);
  const scratch = { TMPDIR: POD_LAYOUT.scratch, HOME: POD_LAYOUT.scratch };
  return {
    // An engine writes it into the locks that it takes: whoever finds one knows whose it is.
    hostname: id,
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: mover.terminationGracePeriodSeconds ?? DEFAULT_GRACE,
    securityContext: { ...moverPodSecurity(mover), ...givenGroup(request) },
    ...(mover.serviceAccountName ? { serviceAccountName: mover.serviceAccountName } : {}),
    ...(mover.nodeName ? { nodeName: mover.nodeName } : {}),
    ...(mover.nodeSelector ? { nodeSelector: mover.nodeSelector } : {}),
    ...(mover.affinity ? { affinity: mover.affinity } : {}),
    ...(mover.tolerations ? { tolerations: [...mover.tolerations] } : {}),
    ...(mover.priorityClassName ? { priorityClassName: mover.priorityClassName } : {}),
    containers: [
      {
        name: MOVER_CONTAINER,
        image: mover.image,
        imagePullPolicy: mover.imagePullPolicy ?? "IfNotPresent",
        ...(args ? { args: [...args] } : {}),
        env: Object.entries({ ...scratch, ...mover.env }).map(([name, value]) => ({ name, value })),
        resources: mover.resources ?? DEFAULT_RESOURCES,
        securityContext: moverSecurity(mover),
        terminationMessagePath: POD_LAYOUT.termination,
        // A mover that ends without words of its own leaves its last lines, which say more than nothing.
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: mounted.map(({ mount }) => mount),
      },
    ],
    volumes: mounted.map(({ volume }) => volume),
  };
}

/**
 * A new volume is mostly root's, and a mover without privileges could not write a file. So the kubelet gives the volume
 * to the mover's group, where that can touch no volume that others use.
 */
function givenGroup({ mover, volumes = [], hostVolume, repositoryVolume }: RunRequest): PodSecurityContext {
  const { runAsUser, runAsGroup } = mover.securityContext ?? {};
  const { cache = { emptyDir: {} } } = mover;
  const others = repositoryVolume !== undefined || hostVolume !== undefined || "claim" in cache;
  const some = volumes.length > 0 || "ephemeral" in cache;
  const isAlone = !others && some && volumes.every(({ fresh }) => fresh);
  if (!isAlone || runAsUser === 0 || runAsGroup === undefined) return {};
  return { fsGroup: runAsGroup, fsGroupChangePolicy: "OnRootMismatch" };
}

/** What the mover is told to do. */
export function workConfigMap(request: RunRequest, job: Job): Draft<ConfigMap> {
  const spec: WorkSpec = { version: WORK_VERSION, run: request.id, ...request.work };
  return {
    metadata: dependent(request, job, ConfigMaps),
    immutable: true,
    data: { [posix.basename(POD_LAYOUT.work)]: JSON.stringify(spec) },
  };
}

/** What is lent to this run alone. */
export function lentSecret(request: RunRequest, job: Job, stringData: LentData): Draft<Secret> {
  return {
    metadata: dependent(request, job, Secrets),
    immutable: true,
    type: "Opaque",
    stringData: { ...stringData },
  };
}

function dependent({ id, namespace }: RunRequest, job: Job, resource: Resource<KubeObject>) {
  const owner = { resource: Jobs, object: job };
  const reference = ownerReference({
    owner,
    dependent: { resource, namespace },
    // Nothing waits for these, and to say otherwise takes a right on the Job's finalizers.
    blockOwnerDeletion: false,
  });
  return { name: id, namespace, labels: { [RUN_LABEL]: id }, ownerReferences: [reference] };
}
