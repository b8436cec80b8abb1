import type { ScalePaths } from "../../kube/schema/kind.ts";
import type { Stored } from "../store/store.ts";
import { type BuiltinResource, builtinResources } from "./builtin_resources.ts";
import {
  configMapRules,
  crdRules,
  eventRules,
  namespaceRules,
  secretRules,
  webhookRules,
  workloadRules,
} from "./config_rules.ts";
import { builtinSchema } from "./definitions.ts";
import { jobRules } from "./job_rules.ts";
import type { KindInfo, KindRules } from "./kind_info.ts";
import { normalize } from "./normalize.ts";
import { podRules } from "./pod_rules.ts";
import { VERBS } from "./verbs.ts";
import { claimRules, storageClassRules, volumeRules } from "./volume_rules.ts";

const RULES: Readonly<Record<string, KindRules>> = {
  ConfigMap: configMapRules,
  CustomResourceDefinition: crdRules,
  Deployment: workloadRules,
  Event: eventRules,
  Job: jobRules,
  MutatingWebhookConfiguration: webhookRules,
  Namespace: namespaceRules,
  PersistentVolume: volumeRules,
  PersistentVolumeClaim: claimRules,
  Pod: podRules,
  Secret: secretRules,
  StatefulSet: workloadRules,
  StorageClass: storageClassRules,
  ValidatingWebhookConfiguration: webhookRules,
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
  // Put together when it is first needed: that takes long, and of most kinds nobody writes an object.
  const schema = () => builtinSchema(builtin);
  const { defaults, onCreate, check, selectableFields = {} } = RULES[kind] ?? {};
  return {
    resource: { group, version, kind, plural, namespaced },
    singular: kind.toLowerCase(),
    shortNames: builtin.shortNames ?? [],
    categories: builtin.categories ?? [],
    custom: false,
    storageVersion: version,
    get schema() {
      return schema();
    },
    status: builtin.status ?? false,
    ...(builtin.scale ? { scale: SCALE } : {}),
    verbs: verbsOf(builtin),
    selectableFields,
    generation: builtin.generation ?? false,
    columns: [],
    defaults: (object) => normalize(schema(), defaults ? defaults(object) : object) as Stored,
    ...(onCreate ? { onCreate } : {}),
    ...(check ? { check } : {}),
  };
}

function verbsOf({ use, kind }: BuiltinResource): readonly string[] {
  if (use === "review") return ["create"];
  return kind === "Namespace" ? VERBS.filter((verb) => verb !== "deletecollection") : VERBS;
}
