import type { Container, ContainerStatus, PodSecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../kube/builtin.ts";
import { Failure } from "../../kube/failure.ts";
import { keyOf } from "../../kube/object.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { InheritedSecurity } from "../work/mover_security.ts";

export interface InheritanceRequest {
  /** Those that the selector matches. */
  readonly pods: readonly Pod[];
  /** Default: the pod's first. */
  readonly container?: string | undefined;
}

/**
 * As whom a running pod of a workload reads its volumes: user, groups and SELinux label. What the pod may do beyond
 * that (capabilities, privileges, system calls) stays with the pod: a mover is as restricted as ever.
 */
export function inheritedSecurity({
  pods,
  container: wanted,
}: InheritanceRequest): Result<InheritedSecurity, Failure> {
  const pod = pods.filter(isRunning).toSorted(newestFirst)[0];
  if (!pod) {
    return no(
      "NoWorkloadPod",
      "No running pod matches the selector that the security context is to be inherited by. Start the workload, correct the selector, or state the security context.",
    );
  }
  const { containers = [] } = pod.spec ?? {};
  const container = wanted === undefined ? containers[0] : containers.find(({ name }) => name === wanted);
  if (container) return ok(inherited(pod, container));
  return no(
    "ContainerNotFound",
    `Pod ${keyOf(pod)} has no container ${wanted}, whose security context is to be inherited. Name one of ${containers.map(({ name }) => name).join(", ")}.`,
  );
}

/** What the image has chosen shows nowhere else, and not on every cluster. */
type StatusWithUser = ContainerStatus & {
  readonly user?: { readonly linux?: { readonly uid: number; readonly gid: number } };
};

function inherited(pod: Pod, { name, securityContext: own }: Container): InheritedSecurity {
  const ofPod = pod.spec?.securityContext;
  const statuses: readonly StatusWithUser[] = pod.status?.containerStatuses ?? [];
  const actual = statuses.find((status) => status.name === name)?.user?.linux;
  const runAsUser = own?.runAsUser ?? ofPod?.runAsUser ?? actual?.uid;
  const runAsGroup = own?.runAsGroup ?? ofPod?.runAsGroup ?? actual?.gid;
  const runAsNonRoot = own?.runAsNonRoot ?? ofPod?.runAsNonRoot;
  const seLinuxOptions = own?.seLinuxOptions ?? ofPod?.seLinuxOptions;
  return {
    podSecurityContext: groups(ofPod),
    securityContext: {
      ...(runAsUser === undefined ? {} : { runAsUser, runAsNonRoot: runAsUser !== 0 }),
      ...(runAsUser === undefined && runAsNonRoot ? { runAsNonRoot } : {}),
      ...(runAsGroup === undefined ? {} : { runAsGroup }),
      ...(seLinuxOptions === undefined ? {} : { seLinuxOptions }),
    },
  };
}

/** With an fsGroup of its own a mover would have the kubelet rewrite owners and modes of the volume that it reads. */
function groups({
  fsGroup,
  supplementalGroups = [],
}: PodSecurityContext = {}): InheritedSecurity["podSecurityContext"] {
  const all = new Set([...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])]);
  return all.size === 0 ? {} : { supplementalGroups: [...all] };
}

function isRunning({ metadata, status }: Pod): boolean {
  return status?.phase === "Running" && !metadata.deletionTimestamp;
}

function newestFirst(a: Pod, b: Pod): number {
  return (
    b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp) ||
    a.metadata.name.localeCompare(b.metadata.name)
  );
}

function no(reason: string, message: string): Result<InheritedSecurity, Failure> {
  return err(new Failure("structural", reason, message));
}
