/**
 * Whose data a snapshot holds. kopia records it as `username@hostname:path`; restic records hostname and path, and
 * the username as a tag.
 */
export interface Identity {
  readonly username: string;
  readonly hostname: string;
  /** What is recorded: it need not be where the data was mounted. Absolute, unless other programs name it otherwise. */
  readonly path: string;
}

/** The identity as kopia writes it, for messages and as a key. */
export function identityText({ username, hostname, path }: Identity): string {
  return `${username}@${hostname}:${path}`;
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.username === b.username && a.hostname === b.hostname && a.path === b.path;
}
