import type { ScalePaths } from "../../kube/schema/kind.ts";
import { type BuiltinResource, builtinResources } from "./builtin_resources.ts";
import { builtinSchema } from "./definitions.ts";
import type { KindInfo } from "./kind_info.ts";
import { VERBS } from "./verbs.ts";

const SCALE: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

/** Every kind that is served without a CustomResourceDefinition. */
export const builtinKinds: readonly KindInfo[] = builtinResources.map(kindOf);

function kindOf(builtin: BuiltinResource): KindInfo {
  const { group, version, kind, plural, namespaced } = builtin;
  return {
    resource: { group, version, kind, plural, namespaced },
    singular: kind.toLowerCase(),
    shortNames: builtin.shortNames ?? [],
    categories: builtin.categories ?? [],
    custom: false,
    storageVersion: version,
    schema: builtinSchema(builtin),
    status: builtin.status ?? false,
    ...(builtin.scale ? { scale: SCALE } : {}),
    verbs: verbsOf(builtin),
    selectableFields: {},
    generation: builtin.generation ?? false,
    columns: [],
  };
}

function verbsOf({ use, kind }: BuiltinResource): readonly string[] {
  if (use === "review") return ["create"];
  return kind === "Namespace" ? VERBS.filter((verb) => verb !== "deletecollection") : VERBS;
}
