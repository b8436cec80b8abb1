import type { BackendKind } from "../../wire/backend.ts";
import { type CredentialKey, NEEDED_CREDENTIALS } from "../../wire/credentials.ts";
import type { CredentialItem } from "../work/run_secrets.ts";

/** Keys that a Secret may hold beside those that a backend asks for. */
const EXTRA: Readonly<Partial<Record<BackendKind, readonly CredentialKey[]>>> = {
  s3: ["AWS_SESSION_TOKEN"],
};

/**
 * The keys of a Secret that a mover gets to see. A pod does not start without those that every way of access needs;
 * the others are left to the mover, which says what is missing.
 */
export function credentialItems(kind: BackendKind): readonly CredentialItem[] {
  const ways = NEEDED_CREDENTIALS[kind];
  const keys = new Set([...ways.flat(), ...(EXTRA[kind] ?? [])]);
  return [...keys].map((key) => ({
    key,
    as: key,
    ...(ways.every((way) => way.includes(key)) ? {} : { optional: true }),
  }));
}
