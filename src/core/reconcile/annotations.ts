import { groupOf, type KubeObject } from "../../kube/object.ts";

/** The annotation of this name under the object's own group. */
export function annotationOf(object: KubeObject, name: string): string | undefined {
  return object.metadata.annotations?.[annotationName(object, name)];
}

/** What people call it in full. */
export function annotationName(object: KubeObject, name: string): string {
  return `${groupOf(object)}/${name}`;
}

/** The operator itself deletes the object, for the reason that is the value. */
export const DELETION_REASON = "deletion-reason";
