import type { Tenant } from "../rules/permission.ts";
import { isPresent, type Lookup } from "./lookup.ts";

/** A namespace with its labels, as far as they are known. */
export function tenantOf(namespace: string, lookup: Lookup): Tenant {
  const found = lookup.namespace(namespace);
  return { namespace, labels: isPresent(found) ? (found.metadata.labels ?? {}) : undefined };
}
