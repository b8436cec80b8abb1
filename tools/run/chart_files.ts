import { stringify } from "yaml";
import { crdOf } from "../../src/kube/schema/crd.ts";
import type { KindEntry } from "./kinds.ts";

/** What the chart installs of each kind of an API: path from the project's root, and text. Templates add the metadata. */
export function chartCrds(entries: readonly KindEntry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ kind, api }) => {
      if (api === undefined) return [];
      const { metadata, spec } = crdOf(kind);
      const text = stringify({ spec }, { lineWidth: 0, aliasDuplicateObjects: false });
      return [[`charts/holdfast/files/crds/${api}/${metadata.name}.yaml`, text] as const];
    }),
  );
}
