import type { ScalePaths } from "../../kube/schema/kind.ts";
import type { Stored } from "../store/store.ts";
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from "./access_rules.ts";
import { type BuiltinResource, builtinResources } from "./builtin_resources.ts";
import {
  configMapRules,
  eventRules,
  leaseRules,
  namespaceRules,
  nodeRules,
  secretRules,
  serviceRules,
} from "./config_rules.ts";
import { crdRules } from "./crd_rules.ts";
import { builtinSchema } from "./definitions.ts";
import { jobRules } from "./job_rules.ts";
import type { KindInfo } from "./kind_info.ts";
import type { KindRules } from "./kind_rules.ts";
import { normalize } from "./normalize.ts";
import { podRules } from "./pod_rules.ts";
import { VERBS } from "./verbs.ts";
import { claimRules, csiDriverRules, storageClassRules, volumeRules } from "./volume_rules.ts";
import { webhookRules } from "./webhook_rules.ts";
import { deploymentRules, statefulSetRules } from "./workload_rules.ts";

const RULES: Readonly<Record<string, KindRules>> = {
  ClusterRole: clusterRoleRules,
  ClusterRoleBinding: clusterRoleBindingRules,
  ConfigMap: configMapRules,
  CSIDriver: csiDriverRules,
  CustomResourceDefinition: crdRules,
  Deployment: deploymentRules,
  Event: eventRules,
  Job: jobRules,
  Lease: leaseRules,
  MutatingWebhookConfiguration: webhookRules("mutating"),
  Namespace: namespaceRules,
  Node: nodeRules,
  PersistentVolume: volumeRules,
  PersistentVolumeClaim: claimRules,
  Pod: podRules,
  Role: roleRules,
  RoleBinding: roleBindingRules,
  Secret: secretRules,
  Service: serviceRules,
  StatefulSet: statefulSetRules,
  StorageClass: storageClassRules,
  ValidatingWebhookConfiguration: webhookRules("validating"),
};

const SCALE: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

/** Every kind that is served without a CustomResourceDefinition. */
export const builtinKinds: readonly KindInfo[] = builtinResources.map(kindOf);

function kindOf(builtin: BuiltinResource): KindInfo {
  const { group, version, kind, plural, namespaced } = builtin;
  const schema = builtinSchema(builtin);
  const { defaults, onCreate, check, selectableFields = {} } = RULES[kind] ?? {};
  return {
    resource: { group, version, kind, plural, namespaced },
    singular: kind.toLowerCase(),
    shortNames: builtin.shortNames ?? [],
    categories: builtin.categories ?? [],
    custom: false,
    storageVersion: version,
    schema,
    status: builtin.status ?? false,
    ...(builtin.scale ? { scale: SCALE } : {}),
    verbs: verbsOf(builtin),
    selectableFields,
    generation: builtin.generation ?? false,
    columns: [],
    defaults: (object) => normalize(schema, defaults ? defaults(object) : object) as Stored,
    ...(onCreate ? { onCreate } : {}),
    ...(check ? { check } : {}),
  };
}

function verbsOf({ use, kind }: BuiltinResource): readonly string[] {
  if (use === "review") return ["create"];
  return kind === "Namespace" ? VERBS.filter((verb) => verb !== "deletecollection") : VERBS;
}
