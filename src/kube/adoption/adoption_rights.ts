import { CustomResourceDefinitions } from "../builtin.ts";
import { type Resource, resourceName } from "../resource.ts";
import type { Right } from "../rights.ts";

/** What it takes to look at CRDs of somebody else's. Their objects are read by whoever works with them. */
export function adoptionRights(kinds: readonly Resource[]): readonly Right[] {
  return [
    {
      resource: CustomResourceDefinitions,
      verbs: ["get"],
      names: kinds.map(resourceName),
      when: ["adopting"],
      why: "CRDs of somebody else's are worked with only if they hold what is needed",
    },
  ];
}
