import type * as admission from "kubernetes-types/admissionregistration/v1.d.ts";
import type * as apps from "kubernetes-types/apps/v1.d.ts";
import type * as authorization from "kubernetes-types/authorization/v1.d.ts";
import type * as batch from "kubernetes-types/batch/v1.d.ts";
import type * as coordination from "kubernetes-types/coordination/v1.d.ts";
import type * as core from "kubernetes-types/core/v1.d.ts";
import type * as discovery from "kubernetes-types/discovery/v1.d.ts";
import type * as rbac from "kubernetes-types/rbac/v1.d.ts";
import type * as storage from "kubernetes-types/storage/v1.d.ts";
import type { KubeObject } from "./object.ts";
import type { Resource } from "./resource.ts";

/** A published type, with the metadata of a stored object. */
export type Stored<T> = KubeObject & Omit<T, "apiVersion" | "kind" | "metadata">;

function resource<T>(group: string, kind: string, plural: string, namespaced = true): Resource<Stored<T>> {
  return { group, version: "v1", kind, plural, namespaced };
}

export type ConfigMap = Stored<core.ConfigMap>;
export type Pod = Stored<core.Pod>;
export type Secret = Stored<core.Secret>;
export type ServiceAccount = Stored<core.ServiceAccount>;
export type Lease = Stored<coordination.Lease>;
export type Job = Stored<batch.Job>;
export type DaemonSet = Stored<apps.DaemonSet>;

export const Namespaces = resource<core.Namespace>("", "Namespace", "namespaces", false);
export const Nodes = resource<core.Node>("", "Node", "nodes", false);
export const Pods = resource<core.Pod>("", "Pod", "pods");
export const Secrets = resource<core.Secret>("", "Secret", "secrets");
export const ConfigMaps = resource<core.ConfigMap>("", "ConfigMap", "configmaps");
export const ServiceAccounts = resource<core.ServiceAccount>("", "ServiceAccount", "serviceaccounts");
export const Services = resource<core.Service>("", "Service", "services");
export const PersistentVolumeClaims = resource<core.PersistentVolumeClaim>(
  "",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
export const PersistentVolumes = resource<core.PersistentVolume>(
  "",
  "PersistentVolume",
  "persistentvolumes",
  false,
);
export const Events = resource<CoreEvent>("", "Event", "events");
export const EndpointSlices = resource<discovery.EndpointSlice>(
  "discovery.k8s.io",
  "EndpointSlice",
  "endpointslices",
);
export const Jobs = resource<batch.Job>("batch", "Job", "jobs");
export const Leases = resource<coordination.Lease>("coordination.k8s.io", "Lease", "leases");
export const Deployments = resource<apps.Deployment>("apps", "Deployment", "deployments");
export const StatefulSets = resource<apps.StatefulSet>("apps", "StatefulSet", "statefulsets");
export const DaemonSets = resource<apps.DaemonSet>("apps", "DaemonSet", "daemonsets");
export const StorageClasses = resource<storage.StorageClass>(
  "storage.k8s.io",
  "StorageClass",
  "storageclasses",
  false,
);
export const CsiDrivers = resource<storage.CSIDriver>("storage.k8s.io", "CSIDriver", "csidrivers", false);
export const ResourceQuotas = resource<core.ResourceQuota>("", "ResourceQuota", "resourcequotas");
export const ClusterRoles = resource<rbac.ClusterRole>(
  "rbac.authorization.k8s.io",
  "ClusterRole",
  "clusterroles",
  false,
);
export const SubjectAccessReviews = resource<authorization.SubjectAccessReview>(
  "authorization.k8s.io",
  "SubjectAccessReview",
  "subjectaccessreviews",
  false,
);
export const SelfSubjectAccessReviews = resource<authorization.SelfSubjectAccessReview>(
  "authorization.k8s.io",
  "SelfSubjectAccessReview",
  "selfsubjectaccessreviews",
  false,
);
export const ValidatingWebhookConfigurations = resource<admission.ValidatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
  false,
);
export const MutatingWebhookConfigurations = resource<admission.MutatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  false,
);
export const CustomResourceDefinitions = resource<{ spec: unknown; status?: unknown }>(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);

/** The fields of a core/v1 Event that are used here; the published type wants fields that the server defaults. */
export interface CoreEvent {
  readonly involvedObject: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}
