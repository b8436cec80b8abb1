import type { Resource } from "../../kube/resource.ts";

/** What discovery says of a built-in kind. */
export interface BuiltinResource extends Resource {
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: `full`. A review is only ever created, and never stored. */
  readonly use?: "full" | "review";
  /** It has a status subresource. Default false. */
  readonly status?: boolean;
  /** It has a scale subresource. Default false. */
  readonly scale?: boolean;
  /** metadata.generation counts. Default false. */
  readonly generation?: boolean;
}

type Extras = Omit<BuiltinResource, keyof Resource>;

function namespaced(group: string, kind: string, extras: Extras = {}): BuiltinResource {
  return { group, version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true, ...extras };
}

function clusterWide(
  group: string,
  kind: string,
  extras: Extras & { plural?: string } = {},
): BuiltinResource {
  return { ...namespaced(group, kind, extras), namespaced: false };
}

const RBAC = "rbac.authorization.k8s.io";
const WEBHOOKS = "admissionregistration.k8s.io";
const AUTHORIZATION = "authorization.k8s.io";

/** Every built-in kind that is served, in the order of discovery. */
export const builtinResources: readonly BuiltinResource[] = [
  namespaced("", "ConfigMap", { shortNames: ["cm"] }),
  namespaced("", "Event", { shortNames: ["ev"] }),
  clusterWide("", "Namespace", { shortNames: ["ns"], status: true }),
  clusterWide("", "Node", { shortNames: ["no"], status: true }),
  namespaced("", "PersistentVolumeClaim", { shortNames: ["pvc"], status: true }),
  clusterWide("", "PersistentVolume", { shortNames: ["pv"], status: true }),
  namespaced("", "Pod", { shortNames: ["po"], categories: ["all"], status: true, generation: true }),
  namespaced("", "Secret"),
  namespaced("", "ServiceAccount", { shortNames: ["sa"] }),
  clusterWide("apiextensions.k8s.io", "CustomResourceDefinition", {
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    status: true,
    generation: true,
  }),
  clusterWide(WEBHOOKS, "MutatingWebhookConfiguration", {
    categories: ["api-extensions"],
    generation: true,
  }),
  clusterWide(WEBHOOKS, "ValidatingWebhookConfiguration", {
    categories: ["api-extensions"],
    generation: true,
  }),
  namespaced("apps", "Deployment", {
    shortNames: ["deploy"],
    categories: ["all"],
    status: true,
    scale: true,
    generation: true,
  }),
  namespaced("apps", "StatefulSet", {
    shortNames: ["sts"],
    categories: ["all"],
    status: true,
    scale: true,
    generation: true,
  }),
  clusterWide("authentication.k8s.io", "SelfSubjectReview", { use: "review" }),
  clusterWide(AUTHORIZATION, "SelfSubjectAccessReview", { use: "review" }),
  clusterWide(AUTHORIZATION, "SelfSubjectRulesReview", { use: "review" }),
  clusterWide(AUTHORIZATION, "SubjectAccessReview", { use: "review" }),
  namespaced("batch", "Job", { categories: ["all"], status: true, generation: true }),
  namespaced("coordination.k8s.io", "Lease"),
  clusterWide(RBAC, "ClusterRoleBinding"),
  clusterWide(RBAC, "ClusterRole"),
  namespaced(RBAC, "RoleBinding"),
  namespaced(RBAC, "Role"),
  clusterWide("storage.k8s.io", "CSIDriver"),
  clusterWide("storage.k8s.io", "StorageClass", { shortNames: ["sc"], plural: "storageclasses" }),
];
