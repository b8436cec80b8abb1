import { isPresent } from "../../kube/cache/found.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Finding } from "../reconcile/finding.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { ConsentRules } from "./crossing.ts";
import { allowsPrivileges, privilegeAnnotation, privilegeForbidden, privilegeOf } from "./privileges.ts";

/** Where movers run, and who knows of it. */
export interface MoverPlace {
  /** Whose movers they are: with an annotation of its API their namespace would consent. */
  readonly object: KubeObject;
  /** Default: the object's. */
  readonly namespace?: string;
  /** Where their settings stand. Default `mover`. */
  readonly at?: string;
  readonly lookup: Pick<ConsentRules, "namespace">;
}

/** Movers have privileges only where their namespace consents. */
export function moverPrivileges(
  mover: Partial<MoverSpec> | undefined,
  { object, namespace = object.metadata.namespace ?? "", at, lookup }: MoverPlace,
): readonly Finding[] {
  const annotation = privilegeAnnotation(object);
  const violation = privilegeForbidden(mover, { namespace, annotation, ...(at ? { at } : {}) });
  if (!violation) return [];
  const found = lookup.namespace(namespace);
  if (!isPresent(found)) {
    return [{ warn: `${violation.field}: whether namespace ${namespace} consents is checked later` }];
  }
  return allowsPrivileges(found, annotation) ? [] : [{ refuse: violation }];
}

/** Privileges that come from a repository's defaults (`field`), which this namespace would have to consent to. */
export function inheritedPrivileges(
  defaults: Partial<MoverSpec> | undefined,
  { object, namespace = object.metadata.namespace ?? "", lookup }: MoverPlace,
  field: string,
): readonly Finding[] {
  const setting = privilegeOf(defaults);
  const found = lookup.namespace(namespace);
  if (setting === undefined || !isPresent(found) || allowsPrivileges(found, privilegeAnnotation(object)))
    return [];
  const warn = `the repository's ${field} ask for ${setting}, to which namespace ${namespace} does not consent`;
  return [{ warn }];
}
