import type { Crd, CrdVersion } from "../../kube/schema/crd.ts";
import { invalid, type Problem, required } from "../../kube/schema/problem.ts";
import type { CelEvaluator } from "../../kube/schema/rules.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import { kindsOfCrd } from "../kinds/crd_kinds.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Store, Stored } from "../store/store.ts";
import { checkCrdSchema } from "./crd_schema.ts";
import type { ServedKinds } from "./served_kinds.ts";

/** How the store names them. */
export const CRDS = "customresourcedefinitions.apiextensions.k8s.io";

export interface CrdCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A CustomResourceDefinition as it is stored. */
export interface StoredCrd extends Pick<Crd, "spec"> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Stored["metadata"];
  readonly status: {
    readonly conditions?: readonly CrdCondition[] | null;
    readonly acceptedNames?: object;
    readonly storedVersions?: readonly string[];
  };
}

export function asCrd(stored: Stored): StoredCrd {
  return stored as unknown as StoredCrd;
}

function isEstablished({ status }: StoredCrd): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
}

/** Serves the kinds of every established CRD from now on. */
export function followCrds(store: Store, kinds: ServedKinds): void {
  const serve = (stored: Stored) => {
    const crd = asCrd(stored);
    kinds.setCustom(crd.metadata.name, isEstablished(crd) ? kindsOfCrd(crd) : []);
  };
  for (const crd of store.list(CRDS).objects) serve(crd);
  store.subscribe(({ key, type, object, previous }) => {
    if (key.resource !== CRDS) return;
    if (type === "DELETED") return kinds.setCustom(key.name, []);
    const same = previous?.metadata.generation === object.metadata.generation;
    if (previous && same && isEstablished(asCrd(previous)) === isEstablished(asCrd(object))) return;
    serve(object);
  });
}

/** The kind of the CRDs themselves, with what the server checks and sets of them. */
export function withCrdRules(kind: KindInfo, cel: CelEvaluator): KindInfo {
  return {
    ...kind,
    check: (object, old) => checkDefinition(asCrd(object), old && asCrd(old), cel),
    onCreate: (object) => {
      const stored = asCrd(object).spec.versions.filter(({ storage }) => storage);
      const acceptedNames = { plural: "", kind: "" };
      const storedVersions = stored.map(({ name }) => name);
      return { ...object, status: { conditions: [], acceptedNames, storedVersions } };
    },
  };
}

function checkDefinition(crd: StoredCrd, old: StoredCrd | undefined, cel: CelEvaluator): readonly Problem[] {
  const { group, names, versions, scope } = crd.spec;
  const problems: Problem[] = [];
  if (crd.metadata.name !== `${names.plural}.${group}`) {
    problems.push(invalid("metadata.name", crd.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const rule = "must have exactly one version marked as storage version";
    problems.push(invalid("spec.versions", versions, rule));
  }
  // To compile every rule takes long, and statuses are written more often than schemas.
  if (!old || !jsonEqual(versions, old.spec.versions)) problems.push(...checkSchemas(versions, cel));
  if (!old) return problems;
  const immutable = (field: string, now: unknown, then: unknown) => {
    if (now !== then) problems.push(invalid(field, now, "field is immutable"));
  };
  immutable("spec.group", group, old.spec.group);
  immutable("spec.scope", scope, old.spec.scope);
  immutable("spec.names.kind", names.kind, old.spec.names.kind);
  immutable("spec.names.plural", names.plural, old.spec.names.plural);
  return problems;
}

function checkSchemas(versions: readonly CrdVersion[], cel: CelEvaluator): readonly Problem[] {
  const schemas = versions.map((version): unknown => version.schema?.openAPIV3Schema);
  // A schema that all versions share has a place of its own in the server's own form of a CRD.
  const shared = schemas.every((schema) => jsonEqual(schema, schemas[0]));
  return schemas.flatMap((schema, i) => {
    const field = `spec.versions[${i}].schema.openAPIV3Schema`;
    if (!isRecord(schema)) return [required(field)];
    if (shared && i > 0) return [];
    return checkCrdSchema(schema, shared ? "spec.validation.openAPIV3Schema" : field, cel);
  });
}
