import type { AllowedNamespaces } from "../../../kinds/kopiur/parts.ts";
import { type Labels, selects } from "../../../kube/label_selector.ts";

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
