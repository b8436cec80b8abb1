import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import { consents } from "../mover.ts";
import { privilegeForbidden, privilegeOf } from "../rules/privileges.ts";
import type { Finding } from "./check.ts";
import { isPresent, type Lookup } from "./lookup.ts";

export interface MoverPlace {
  /** Where the movers run. */
  readonly namespace: string;
  /** Where their settings stand. Default `spec.mover`. */
  readonly at?: string;
  readonly lookup: Lookup;
}

/** Movers have privileges only where their namespace consents. */
export function moverPrivileges(
  mover: Partial<MoverSpec> | undefined,
  { namespace, at, lookup }: MoverPlace,
): readonly Finding[] {
  const violation = privilegeForbidden(mover, namespace, at);
  if (!violation) return [];
  const found = lookup.namespace(namespace);
  if (!isPresent(found)) {
    return [{ warn: `${violation.field}: whether namespace ${namespace} consents is checked later` }];
  }
  return consents(found) ? [] : [{ refuse: violation }];
}

/** Privileges that come from a repository's defaults, which this namespace would have to consent to. */
export function inheritedPrivileges(
  defaults: Partial<MoverSpec> | undefined,
  { namespace, lookup }: MoverPlace,
): readonly Finding[] {
  const setting = privilegeOf(defaults);
  const found = lookup.namespace(namespace);
  if (setting === undefined || !isPresent(found) || consents(found)) return [];
  const warn = `the repository's moverDefaults ask for ${setting}, to which namespace ${namespace} does not consent`;
  return [{ warn }];
}
