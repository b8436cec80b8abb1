import type { KubeObject } from "../../kube/object.ts";

/** How an object is named on a screen: with its namespace where several are shown. */
export function whereText({ metadata }: Pick<KubeObject, "metadata">, all: boolean): string {
  return all && metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}
