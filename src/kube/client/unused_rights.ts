import type { Right } from "../rights.ts";
import { accessName } from "./request_access.ts";

/** The rights that nobody asks for, given what was asked for, each as `list pods`, and that say not why. */
export function unusedRights(rights: readonly Right[], used: ReadonlySet<string>): readonly string[] {
  const unused = new Set<string>();
  const defended = new Set<string>();
  for (const { resource, subresource, verbs, unseen = {} } of rights) {
    const kind = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
    for (const verb of verbs) {
      const name = accessName({ verb, group: resource.group, resource: kind });
      if (!used.has(name)) unused.add(name);
      if (unseen[verb] !== undefined) defended.add(name);
    }
  }
  return [...unused.difference(defended)].toSorted();
}
