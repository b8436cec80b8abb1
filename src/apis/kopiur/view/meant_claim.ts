import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { VOLSYNC_PATH } from "../../../wire/volsync.ts";

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * The claim that an identity stands for where nobody has chosen another one: by it alone a volume is known after the
 * loss of all objects. As namespace/name; undefined for what was no claim, such as a folder of somebody's machine.
 */
export function meantClaim({
  username,
  hostname,
  sourcePath,
}: SnapshotStatus["identity"]): string | undefined {
  const [, namespace = hostname, last] = /^\/pvc\/(?:([^/]+)\/)?([^/]+)$/.exec(sourcePath) ?? [];
  const name = last ?? (sourcePath === VOLSYNC_PATH ? username : undefined);
  return name !== undefined && NAME.test(name) && NAME.test(namespace) ? `${namespace}/${name}` : undefined;
}
