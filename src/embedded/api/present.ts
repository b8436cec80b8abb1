import { apiVersionOf } from "../../kube/resource.ts";
import { applyDefaults } from "../../kube/schema/default.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";

/** A stored object in the version that a kind is served in, with the defaults that its schema has now. */
export function present(kind: KindInfo, stored: Stored): Stored {
  const apiVersion = apiVersionOf(kind.resource);
  if (!kind.custom) return stored;
  return applyDefaults(kind.schema, { ...stored, apiVersion }) as Stored;
}

/** An object as it is stored: in its storage version, under its own type. */
export function storedForm(kind: KindInfo, object: Stored): Stored {
  const { resource, storageVersion } = kind;
  const apiVersion = apiVersionOf({ ...resource, version: storageVersion });
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  return { apiVersion, kind: resource.kind, metadata, ...rest };
}
