import { accessName } from "./client/request_access.ts";
import type { Right } from "./rights.ts";

/**
 * What is wrong with rights, given what was asked for in all the tests, each as `list pods`: those that nobody asks for
 * and that nobody defends, and those that are defended although somebody asks.
 */
export function unusedRights(rights: readonly Right[], used: ReadonlySet<string>): readonly string[] {
  const needed = new Set<string>();
  const defended = new Set<string>();
  for (const { resource, subresource, verbs, unseen = {} } of rights) {
    const kind = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
    for (const verb of verbs) {
      const name = accessName({ verb, group: resource.group, resource: kind });
      needed.add(name);
      if (unseen[verb] !== undefined) defended.add(name);
    }
  }
  return [
    ...[...needed.difference(used).difference(defended)].map((name) => `nobody asks to ${name}`),
    ...[...defended.intersection(used)].map((name) => `somebody does ask to ${name}`),
  ].toSorted();
}
