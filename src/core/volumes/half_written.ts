import type { KubeObject } from "../../kube/object.ts";

/**
 * Annotation of a claim: the restore that began to write into it and has not completed, as `kind/name since UID`. It stays
 * when that restore is deleted, until another one has written the whole volume or somebody takes it away.
 */
export const TARGET_INCOMPLETE = "holdfast.dev/target-incomplete";

/** What a claim says of the restore that left it half written. */
export interface HalfWritten {
  /** Such as `restore/again`. */
  readonly by: string;
  /** What completed later than this makes up for it. */
  readonly since: string;
  readonly uid: string;
}

/** What a claim says of itself; undefined where no restore has left it half written. */
export function halfWritten({ metadata }: KubeObject): HalfWritten | undefined {
  const text = metadata.annotations?.[TARGET_INCOMPLETE];
  if (text === undefined) return undefined;
  const [by = "", since = "", uid = ""] = text.split(" ");
  return { by, since, uid };
}

/** The same, as the annotation has it. */
export function halfWrittenText({ by, since, uid }: HalfWritten): string {
  return `${by} ${since} ${uid}`;
}
