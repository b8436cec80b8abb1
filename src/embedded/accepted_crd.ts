import { jsonEqual } from "../lib/json.ts";
import type { StoredCrd } from "./api/crds.ts";
import { establishedStatus } from "./controllers/crd_lifecycle.ts";
import type { BundledCrd } from "./kinds/bundled_crds.ts";
import { crdRules } from "./kinds/config_rules.ts";
import type { PatchableSchema } from "./kinds/kind_info.ts";
import { difference } from "./patch/field_set.ts";
import { fieldsOf } from "./patch/fields_of.ts";
import { UNTRACKED, type Writer, withOwners } from "./patch/managed_fields.ts";
import { typingOf } from "./patch/typing.ts";
import type { Stored } from "./store/store.ts";

/** What the server adds to a CRD of its own accord. */
export interface CrdMarks {
  /** Who brings it. */
  readonly manager: string;
  readonly uid: string;
  readonly now: string;
  /** Of CustomResourceDefinitions themselves. */
  readonly schema: PatchableSchema;
}

/**
 * A CRD as it is stored once it was applied and its names were accepted. Nothing of it is checked, which would take
 * longer than all else at a start: it is for CRDs that were checked when the program was built.
 */
export function acceptedCrd(crd: BundledCrd, { manager, uid, now, schema }: CrdMarks): Stored {
  const fields = difference(fieldsOf(typingOf(schema), crd), UNTRACKED);
  const writer: Writer = { manager, operation: "Apply", apiVersion: crd.apiVersion };
  const metadata = { ...crd.metadata, uid, creationTimestamp: now, generation: 1, resourceVersion: "" };
  const object = { ...complete(crd), metadata } as Stored;
  const status = establishedStatus(object as unknown as StoredCrd, [], now);
  return withOwners({ ...object, status }, new Map([["", { ...writer, time: now, fields }]]));
}

/** True when a stored CRD says all that this one does. */
export function isInstalled(crd: BundledCrd, stored: Stored): boolean {
  const { labels = {}, annotations = {} } = crd.metadata;
  const has = (found: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>) =>
    Object.entries(wanted).every(([name, value]) => found[name] === value);
  const { metadata, spec } = stored;
  return (
    jsonEqual(spec, complete(crd).spec) &&
    has(metadata.labels, labels) &&
    has(metadata.annotations, annotations)
  );
}

function complete(crd: BundledCrd): Stored {
  const object = crd as unknown as Stored;
  return crdRules.defaults?.(object) ?? object;
}
