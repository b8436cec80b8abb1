import type { CredentialKey } from "../../wire/credentials.ts";

/** A Secret of any namespace. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

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
 * A Secret of the run's namespace; or one of another, whose keys are lent to this run: they are copied into a Secret
 * that is made with the run and goes with it.
 */
export type SecretPlace = { readonly secret: string } | { readonly lent: SecretName };

/** One Secret with credentials of a backend. */
export type CredentialSource =
  | {
      readonly secret: string;
      /** Default: every key, under its own name. */
      readonly items?: readonly CredentialItem[];
    }
  | { readonly lent: SecretName; readonly items: readonly CredentialItem[] };

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

/** One key that is lent, and what it is called in the run's own Secret. */
export interface LentKey {
  readonly from: SecretName;
  readonly key: string;
  readonly as: string;
  readonly optional: boolean;
}

/** In the run's own Secret, keys of different Secrets do not get in each other's way. */
export const LENT_PASSWORD = "password";
export const DESTINATION_PREFIX = "destination-";

/** Everything that has to be lent to a run. */
export function lentKeys(secrets: RunSecrets): readonly LentKey[] {
  const { destination } = secrets;
  return [...keysLent(secrets, ""), ...(destination ? keysLent(destination, DESTINATION_PREFIX) : [])];
}

function keysLent({ password, credentials = [] }: RepositorySecrets, prefix: string): readonly LentKey[] {
  return [
    ...("lent" in password
      ? [{ from: password.lent, key: password.key, as: `${prefix}${LENT_PASSWORD}`, optional: false }]
      : []),
    ...credentials.flatMap((source) =>
      "lent" in source
        ? source.items.map(({ key, as, optional = false }) => ({
            from: source.lent,
            key,
            as: `${prefix}${as}`,
            optional,
          }))
        : [],
    ),
  ];
}

/** Whether a Secret has to be lent to the run. */
export function isLent(secrets: RunSecrets): boolean {
  return lentKeys(secrets).length > 0;
}
