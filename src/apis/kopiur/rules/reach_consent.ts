import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { AllowedNamespaces } from "../../../kinds/kopiur/parts.ts";
import type { KubeObject } from "../../../kube/object.ts";

/** The namespaces whose recipes may be run in this one, as it says itself. */
export function recipesAllowedIn({ metadata }: Pick<KubeObject, "metadata">): AllowedNamespaces {
  const text = metadata.annotations?.[ANNOTATIONS.allowedRecipeNamespaces] ?? "";
  const list = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { list };
}
