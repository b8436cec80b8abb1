import type { KubeObject } from "../../kube/object.ts";
import { RUN_LABEL } from "../work/run_labels.ts";
import { isPrime } from "./populator/population_marks.ts";
import { STAGED_FOR } from "./staging/staged_marks.ts";

/** Made for a run or a restore, such as a copy to read from, a cache or a prime claim, and gone after it. */
export function isTemporary(claim: KubeObject): boolean {
  const { labels = {} } = claim.metadata;
  return labels[STAGED_FOR] !== undefined || labels[RUN_LABEL] !== undefined || isPrime(claim);
}

/** Neither what is made for a while nor a repository (`store`: its claim) is a source, unless somebody names it. */
export function isSelectable(claim: KubeObject, store: string | undefined): boolean {
  const { name, deletionTimestamp } = claim.metadata;
  return name !== store && !deletionTimestamp && !isTemporary(claim);
}
