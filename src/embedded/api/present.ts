import { apiVersionOf } from "../../kube/resource.ts";
import { applyDefaults } from "../../kube/schema/default.ts";
import { prune } from "../../kube/schema/prune.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";

const presented = new WeakMap<KindInfo, WeakMap<Stored, Stored>>();

/** A stored object in the version that a kind is served in, with the fields and the defaults that its schema has now. */
export function present(kind: KindInfo, stored: Stored): Stored {
  if (!kind.custom) return stored;
  const known = presented.get(kind) ?? new WeakMap<Stored, Stored>();
  presented.set(kind, known);
  const shown = known.get(stored) ?? convert(kind, stored);
  known.set(stored, shown);
  return shown;
}

function convert(kind: KindInfo, stored: Stored): Stored {
  const { value } = prune(kind.schema, { ...stored, apiVersion: apiVersionOf(kind.resource) });
  const shown = applyDefaults(kind.schema, value) as Stored;
  // Mostly nothing changes, and one object is enough.
  return jsonEqual(shown, stored) ? stored : shown;
}

/** An object as it is stored: in its storage version, under its own type. */
export function storedForm(kind: KindInfo, object: Stored): Stored {
  const { resource, storageVersion } = kind;
  const apiVersion = apiVersionOf({ ...resource, version: storageVersion });
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  return { apiVersion, kind: resource.kind, metadata, ...rest };
}
