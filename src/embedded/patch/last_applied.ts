import { isRecord } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, NO_FIELDS } from "./field_set.ts";
import { fieldsOf } from "./fields_of.ts";
import type { Fields, Typing } from "./typing.ts";

/** The manager under which kubectl applies; only it carries a client-side apply's annotation on. */
export const KUBECTL = "kubectl";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** The fields that are still as kubectl's last client-side apply left them: it may take them over. */
export function lastAppliedFields(typing: Typing, live: Stored): FieldSet {
  const text = live.metadata.annotations?.[ANNOTATION];
  if (!text) return NO_FIELDS;
  let last: unknown;
  try {
    last = JSON.parse(text);
  } catch {
    return NO_FIELDS;
  }
  if (!isRecord(last) || last.apiVersion !== live.apiVersion) return NO_FIELDS;
  const { added, modified, removed } = compare(typing, last, live);
  return [added, modified, removed].reduce(difference, fieldsOf(typing, last));
}

/** Renews the annotation, where there is one, so that a later client-side apply sees what was applied. */
export function renewLastApplied(object: Stored, applied: Fields): Stored {
  const { annotations } = object.metadata;
  if (!annotations?.[ANNOTATION]) return object;
  const renewed = { ...annotations, [ANNOTATION]: `${JSON.stringify(withoutAnnotation(applied))}\n` };
  return { ...object, metadata: { ...object.metadata, annotations: renewed } };
}

function withoutAnnotation(applied: Fields): unknown {
  const { metadata } = applied;
  if (!isRecord(metadata) || !isRecord(metadata.annotations)) return applied;
  const { [ANNOTATION]: _, ...annotations } = metadata.annotations;
  return { ...applied, metadata: { ...metadata, annotations } };
}
