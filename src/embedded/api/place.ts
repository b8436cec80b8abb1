import { resourceName } from "../../kube/resource.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { StoreKey } from "../store/store.ts";

/** One object, or a part of it, that is there or could be. */
export interface Place {
  readonly kind: KindInfo;
  /** Empty for what has no namespace. */
  readonly namespace: string;
  readonly name: string;
  /** The part: `status`, `scale`, `finalize`. */
  readonly subresource?: string | undefined;
}

export function keyOf({ kind, namespace, name }: Place): StoreKey {
  return { resource: resourceName(kind.resource), namespace, name };
}
