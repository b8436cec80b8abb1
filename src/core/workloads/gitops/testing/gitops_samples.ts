import { Deployments } from "../../../../kube/builtin.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import type { Scalable, Workload } from "../../scaling/workload.ts";
import { Applications, HelmReleases } from "../gitops_kinds.ts";
import type { GitOpsOwner } from "../observe_gitops.ts";

type Texts = Readonly<Record<string, string>>;

const metadata = (namespace: string, name: string, more: object) => ({
  namespace,
  name,
  uid: `uid-${namespace}-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});

/** Deployment shop/web, as GitOps tools mark it. */
export function appliedDeployment(more: { labels?: Texts; annotations?: Texts }, replicas = 3): Workload {
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: metadata("shop", "web", more) };
  return {
    resource: Deployments as Resource<Scalable>,
    object: { ...object, spec: { replicas } },
    replicas,
  };
}

/** The Application that has applied it. */
export function application(annotations: Texts = {}, namespace = "argocd"): GitOpsOwner {
  const applied = { group: "apps", version: "v1", kind: "Deployment", namespace: "shop", name: "web" };
  const object = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: metadata(namespace, "web", { annotations }),
    spec: { project: "default", syncPolicy: { automated: { selfHeal: true } } },
    status: { resources: [applied] },
  };
  return { resource: Applications, object };
}

/** The HelmRelease that has installed it. */
export function helmRelease(spec: object = {}, annotations: Texts = {}): GitOpsOwner {
  const object = {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: metadata("flux-system", "web", { annotations }),
    spec: { interval: "10m", ...spec },
  };
  return { resource: HelmReleases, object: object as KubeObject };
}

export const TRACKED = { "argocd.argoproj.io/tracking-id": "web:apps/Deployment:shop/web" };
export const RELEASED = {
  "helm.toolkit.fluxcd.io/name": "web",
  "helm.toolkit.fluxcd.io/namespace": "flux-system",
};
export const KUSTOMIZED = {
  "kustomize.toolkit.fluxcd.io/name": "apps",
  "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
};
