import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { type Application, Applications, HelmReleases } from "./gitops_kinds.ts";

const TRACKING_ID = "argocd.argoproj.io/tracking-id";
const INSTANCES = ["argocd.argoproj.io/instance", "app.kubernetes.io/instance"] as const;

/** What a workload's labels and annotations name as its owner. */
export interface OwnerName {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** Charts set the label for purposes of their own: only the owner can tell. */
  readonly unsure?: true;
}

/** The GitOps objects that a workload is applied from. `argoCdNamespace`: where Applications are that name none. */
export function gitOpsOwners(workload: KubeObject, argoCdNamespace: string): readonly OwnerName[] {
  const { labels = {} } = workload.metadata;
  const application = tracked(workload, argoCdNamespace);
  const instances = INSTANCES.flatMap((label) => labels[label] ?? []);
  const applications = application
    ? [application]
    : [...new Set(instances)].map(
        (name): OwnerName => ({ resource: Applications, namespace: argoCdNamespace, name, unsure: true }),
      );
  const { "helm.toolkit.fluxcd.io/name": name, "helm.toolkit.fluxcd.io/namespace": namespace } = labels;
  return [...applications, ...(name && namespace ? [{ resource: HelmReleases, namespace, name }] : [])];
}

/** `[<namespace>_]<application>:<group>/<kind>:<namespace>/<name>`. One that names another object was copied with it. */
function tracked({ kind, metadata }: KubeObject, argoCdNamespace: string): OwnerName | undefined {
  const [application = "", type, object] = metadata.annotations?.[TRACKING_ID]?.split(":") ?? [];
  if (type?.split("/")[1] !== kind || object !== `${metadata.namespace}/${metadata.name}`) return undefined;
  const [name = "", namespace = argoCdNamespace] = application.split("_").toReversed();
  return { resource: Applications, namespace, name };
}

/** Whether an Application says that it has applied the workload. */
export function hasApplied({ status }: Application, { kind, metadata }: KubeObject): boolean {
  return (status?.resources ?? []).some(
    (one) => one.kind === kind && one.namespace === metadata.namespace && one.name === metadata.name,
  );
}
