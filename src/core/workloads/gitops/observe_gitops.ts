import type { CallOptions, Reader } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { glance } from "../../volumes/staging/look.ts";
import { HIDDEN } from "../../volumes/staging/observed_staging.ts";
import type { PauseGitOps } from "../../work/settings.ts";
import type { HiddenWorkload, Workload } from "../scaling/workload.ts";
import { GITOPS_KINDS } from "./gitops_kinds.ts";
import { gitOpsOwners, hasApplied, type OwnerName } from "./gitops_owners.ts";

/** Where Argo CD is unless somebody says otherwise. */
export const ARGO_CD_NAMESPACE = "argocd";

/** An object that GitOps tools apply workloads from. */
export interface GitOpsOwner {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** What GitOps tools would do about workloads that are scaled down. */
export interface GitOps {
  /** What can be told to pause. */
  readonly owners: readonly GitOpsOwner[];
  /** What owns one of the workloads, and cannot be told. */
  readonly beyond: readonly string[];
}

/** Looks for what the workloads are applied from. Without leave to pause that, nothing is read. */
export async function observeGitOps(
  reader: Pick<Reader, "get">,
  workloads: readonly Workload[],
  pause: PauseGitOps | undefined,
  call: CallOptions = {},
): Promise<GitOps> {
  const owners = new Map<string, GitOpsOwner>();
  const beyond = new Set<string>();
  for (const { object: workload } of workloads) {
    for (const owner of gitOpsOwners(workload, pause?.argoCdNamespace ?? ARGO_CD_NAMESPACE)) {
      const { resource, namespace, name, unsure } = owner;
      const object = pause ? await glance(reader, resource, { namespace, name }, call) : HIDDEN;
      if (object === undefined || object === HIDDEN) {
        if (!unsure) beyond.add(ownerText(owner));
      } else if (!unsure || hasApplied(object, workload))
        owners.set(object.metadata.uid, { resource, object });
    }
  }
  return { owners: [...owners.values()], beyond: [...beyond] };
}

/** The name of an object that was paused, as a status remembers it. */
export interface PausedOwner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function pausedOwner({ resource, object: { metadata } }: GitOpsOwner): PausedOwner {
  const { namespace = "", name } = metadata;
  return { kind: resource.kind, namespace, name };
}

/** What was paused, as it is now, as far as it is there. */
export async function observePaused(
  reader: Pick<Reader, "get">,
  names: readonly PausedOwner[],
  call: CallOptions = {},
): Promise<{ readonly paused: readonly GitOpsOwner[]; readonly hidden: readonly HiddenWorkload[] }> {
  const paused: GitOpsOwner[] = [];
  const hidden: HiddenWorkload[] = [];
  for (const { kind, namespace, name } of names) {
    const resource = GITOPS_KINDS.find((one) => one.kind === kind);
    const object = resource && (await glance(reader, resource, { namespace, name }, call));
    if (!object) continue;
    if (object === HIDDEN) hidden.push({ resource, name: `${namespace}/${name}` });
    else paused.push({ resource, object });
  }
  return { paused, hidden };
}

/** How an owner is named to people. */
export function ownerText({ resource, namespace, name }: Omit<OwnerName, "unsure">): string {
  return `${resource.kind} ${namespace}/${name}`;
}
