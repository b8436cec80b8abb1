import { CREDENTIAL_KEYS, type CredentialKey } from "../../wire/credentials.ts";
import type { Violation } from "../reconcile/violation.ts";
import type { CredentialRef, SecretRef } from "./repository.ts";

/** A variable that an engine would have in its environment. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: SecretRef & { readonly key: string } };
}

/** What engines call credentials that movers know by another name. */
const KNOWN_AS: Readonly<Record<string, CredentialKey>> = {
  AZURE_ACCOUNT_KEY: "AZURE_STORAGE_KEY",
  AZURE_ACCOUNT_SAS: "AZURE_STORAGE_SAS_TOKEN",
};

/** Variables that are no secrets. */
const VALUES = ["AWS_DEFAULT_REGION", "AWS_REGION", "AZURE_ACCOUNT_NAME"];

/** The credentials among the variables. */
export function credentialsOf(env: readonly Variable[]): readonly CredentialRef[] {
  return env.flatMap(({ name, valueFrom }) => {
    const as = credentialOf(name);
    return as && valueFrom ? [{ ...valueFrom.secretKeyRef, as }] : [];
  });
}

function credentialOf(name: string): CredentialKey | undefined {
  return KNOWN_AS[name] ?? CREDENTIAL_KEYS.find((key) => key === name);
}

export interface EnvironmentWords {
  /** Where the variables stand. */
  readonly at: string;
  /** The kind of the object. */
  readonly kind: string;
  /** The variable that holds the repository's password. */
  readonly password: string;
}

/** What is wrong with variables: secrets in plain sight, and what movers do not take. */
export function environmentViolations(
  env: readonly Variable[],
  { at, kind, password }: EnvironmentWords,
): readonly Violation[] {
  return env.flatMap(({ name, value }, index): readonly Violation[] => {
    const field = `${at}[${index}]`;
    const secret = name === password || credentialOf(name) !== undefined;
    if (secret && value !== undefined) {
      return [
        {
          reason: "SecretInSpec",
          field,
          what: `${name} has its value in the ${kind}`,
          why: "everyone who may read the object could read it",
          fix: "Put it into a Secret, and name that in valueFrom.secretKeyRef",
        },
      ];
    }
    if (secret || (VALUES.includes(name) && value !== undefined)) return [];
    return [
      {
        reason: "EnvUnsupported",
        field,
        what: `the variable ${name} has no effect here`,
        why: `movers take ${VALUES.join(", ")} as values, and credentials from Secrets`,
        fix: `Remove it, or use one of ${[...CREDENTIAL_KEYS, ...Object.keys(KNOWN_AS), password].join(", ")}`,
      },
    ];
  });
}
