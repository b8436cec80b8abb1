import { type Found, isPresent } from "../../kube/cache/found.ts";
import { type LabelSelector, type Labels, selects } from "../../kube/label_selector.ts";
import type { KubeObject } from "../../kube/object.ts";

/** The namespaces that may use something: those of a list, those that a selector selects, or all. */
export interface AllowedNamespaces {
  readonly list?: readonly string[];
  readonly selector?: LabelSelector;
  readonly all?: true;
}

/** Whether something may be used; `unknown` while what decides it has not been read. */
export type Permission = "granted" | "denied" | "unknown";

/** A namespace that wants to use something. */
export interface Tenant {
  readonly namespace: string;
  /** Absent while they are not known. */
  readonly labels: Labels | undefined;
}

/** Whether an object lists a namespace among those that may use it. Without a list it lists none. */
export function listed(allowed: AllowedNamespaces | undefined, tenant: Tenant): Permission {
  if (!allowed) return "denied";
  if (allowed.all) return "granted";
  if (allowed.list) return allowed.list.includes(tenant.namespace) ? "granted" : "denied";
  if (!allowed.selector) return "denied";
  if (tenant.labels === undefined) return "unknown";
  return selects(allowed.selector, tenant.labels) ? "granted" : "denied";
}

/** A namespace with its labels, as far as they are known. */
export function tenantOf(namespace: string, lookup: { namespace(name: string): Found<KubeObject> }): Tenant {
  const found = lookup.namespace(namespace);
  return { namespace, labels: isPresent(found) ? (found.metadata.labels ?? {}) : undefined };
}
