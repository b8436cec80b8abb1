import { IDENTITY_HOST } from "../../../kinds/plumber/words.ts";
import type { Identity } from "../../../wire/identity.ts";
import { VOLSYNC_PATH } from "../../../wire/volsync.ts";

/** Under which name the backups of a PVC are found, whatever becomes of the PVC. */
export interface BackupIdentity {
  /** As people write it: `<namespace>/<pvc>`, or a name of their own. */
  readonly text: string;
  readonly username: string;
  readonly hostname: string;
}

/** The identity of a PVC that names none: VolSync records the same, so that its backups are found. */
export function defaultIdentity(namespace: string, pvc: string): BackupIdentity {
  return { text: `${namespace}/${pvc}`, username: pvc, hostname: namespace };
}

const PART = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** `<name>`, or `<namespace>/<name>` as another PVC has it by default; undefined if it is neither. */
export function parseIdentity(text: string): BackupIdentity | undefined {
  const parts = text.split("/");
  if (parts.length > 2 || !parts.every((part) => PART.test(part))) return undefined;
  const [first = "", second] = parts;
  return second === undefined
    ? { text, username: first, hostname: IDENTITY_HOST }
    : { text, username: second, hostname: first };
}

/** As the engine records it. */
export function recordedIdentity({ username, hostname }: BackupIdentity): Identity {
  return { username, hostname, path: VOLSYNC_PATH };
}
