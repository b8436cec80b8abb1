import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { fieldMatcher, parseFieldSelector } from "./field_selector.ts";
import { parseLabelSelector } from "./label_selector.ts";

export interface Selectors {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Whether an object of this kind is selected; undefined when everything is. Throws a Refusal. */
export function selection(
  selectors: Selectors,
  kind: Pick<KindInfo, "selectableFields" | "custom">,
): ((object: Stored) => boolean) | undefined {
  const { labelSelector, fieldSelector } = selectors;
  if (!labelSelector && !fieldSelector) return undefined;
  const byLabels = parseLabelSelector(labelSelector ?? "");
  const byFields = fieldMatcher(parseFieldSelector(fieldSelector ?? ""), kind);
  return (object) => byLabels(object.metadata.labels) && byFields(object);
}
