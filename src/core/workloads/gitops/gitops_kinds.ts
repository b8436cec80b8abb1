import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";

/** An Application of Argo CD. Its status names what it has applied. */
export interface Application extends KubeObject {
  readonly status?: {
    readonly resources?: readonly {
      readonly group?: string;
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
    }[];
  };
}

export const Applications: Resource<Application> = {
  group: "argoproj.io",
  version: "v1alpha1",
  kind: "Application",
  plural: "applications",
  namespaced: true,
};

/** A release of a chart, which Flux keeps as it is written. */
export interface HelmRelease extends KubeObject {
  readonly spec?: { readonly suspend?: boolean };
}

export const HelmReleases: Resource<HelmRelease> = {
  group: "helm.toolkit.fluxcd.io",
  version: "v2",
  kind: "HelmRelease",
  plural: "helmreleases",
  namespaced: true,
};

/** The kinds that stand for workloads of GitOps tools, and are told to pause. */
export const GITOPS_KINDS: readonly Resource[] = [Applications, HelmReleases];
