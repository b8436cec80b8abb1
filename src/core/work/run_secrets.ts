import type { CredentialKey } from "../../wire/credentials.ts";

/**
 * Where a run's secrets are. Secrets of its namespace are mounted by name and never read; one that is missing shows
 * as the reason why the pod waits.
 */
export interface RunSecrets extends RepositorySecrets {
  /** Of the second repository of a copy. */
  readonly destination?: RepositorySecrets;
}

export interface RepositorySecrets {
  readonly password: SecretPlace & { readonly key: string };
  /** Default: none, for a backend that needs none. */
  readonly credentials?: readonly CredentialSource[];
}

/**
 * A Secret of the run's namespace; or the one that is lent to this run: it is made with the run, of what the lender
 * hands over then, and goes with it.
 */
export type SecretPlace = { readonly secret: string } | { readonly lent: true };

/** One Secret with credentials of a backend. */
export type CredentialSource = SecretPlace & {
  /** Default: every key, under its own name. */
  readonly items?: readonly CredentialItem[];
};

export interface CredentialItem {
  /** The key in the Secret. */
  readonly key: string;
  /** What the mover knows it as. */
  readonly as: CredentialKey;
  /** The run starts without it. Default false. */
  readonly optional?: boolean;
}

/** What a lent Secret holds: values by key. */
export type LentData = Readonly<Record<string, string>>;

/** Whether a Secret has to be lent to the run. */
export function isLent({ password, credentials = [], destination }: RunSecrets): boolean {
  const places: readonly SecretPlace[] = [
    password,
    ...credentials,
    ...(destination ? [destination.password, ...(destination.credentials ?? [])] : []),
  ];
  return places.some((place) => "lent" in place);
}
