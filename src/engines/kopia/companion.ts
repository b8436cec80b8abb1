import { resolve } from "node:path";
import { EngineError } from "../../wire/engine_error.ts";
import type { Identity } from "../../wire/identity.ts";

/**
 * A companion is a small snapshot beside the data's own that holds what kopia cannot keep. It has the same run tag,
 * host and path, under a user name that is reserved for it.
 */
const PREFIX = "holdfast-companion-";

/** The name of the one file in a companion. */
export const COMPANION_FILE = "attributes";

export function companionOf(identity: Identity): Identity {
  return { ...identity, username: `${PREFIX}${identity.username}` };
}

export function isCompanion(identity: Identity): boolean {
  return identity.username.startsWith(PREFIX);
}

/** The key that a snapshot and its companion have in common. */
export function pairKey(identity: Identity, run: string): string {
  const { username, hostname, path } = identity;
  return JSON.stringify([
    username.startsWith(PREFIX) ? username.slice(PREFIX.length) : username,
    hostname,
    path,
    run,
  ]);
}

/** kopia writes an identity as `user@host:path`, and reads it back at the first `@` and the first `:` after it. */
export function checkIdentity(identity: Identity): void {
  const { username, hostname, path } = identity;
  const fault = isCompanion(identity)
    ? `the user name ${username} is reserved`
    : username === "" || /[@\s]/.test(username)
      ? `the user name "${username}" is empty, or holds a space or an @`
      : hostname === "" || /[@:\s]/.test(hostname)
        ? `the host name "${hostname}" is empty, or holds a space, an @ or a colon`
        : path === "" || !["", "/"].some((start) => resolve("/", path) === start + path)
          ? `the path "${path}" is not in its shortest form`
          : undefined;
  if (fault) throw new EngineError("InvalidOption", `taking a snapshot: ${fault}`);
}
