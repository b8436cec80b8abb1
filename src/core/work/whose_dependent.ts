import { type Job, Jobs } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";

/** Whose an object is that has the name of what a Job needs: the Job's, a former one's of the same name, or another's. */
export function whoseDependent({ metadata }: KubeObject, job: Job): "Own" | "Leftover" | "Foreign" {
  const owners = metadata.ownerReferences ?? [];
  if (owners.some(({ uid }) => uid === job.metadata.uid)) return "Own";
  return owners.some(({ kind, name }) => kind === Jobs.kind && name === job.metadata.name)
    ? "Leftover"
    : "Foreign";
}
