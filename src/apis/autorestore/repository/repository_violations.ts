import type { Violation } from "../../../core/reconcile/violation.ts";
import { backendOfUrl } from "../../../core/repository/backend_of_url.ts";
import type { BackendSpec, CredentialRef } from "../../../core/repository/repository.ts";
import { extraArgViolations } from "../../../core/rules/extra_args.ts";
import { cronViolations } from "../../../core/schedule/cron_violations.ts";
import type { ResticRepositorySpec } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { err, type Result } from "../../../lib/result.ts";
import { CREDENTIAL_KEYS, type CredentialKey } from "../../../wire/credentials.ts";
import { urlViolation } from "./repository_url.ts";

/** What a ResticRepository says of itself, and a target of a BackupConfig too. */
export type RepositorySettings = Omit<ResticRepositorySpec, "privilegedMover">;

/** What restic calls credentials that movers know by another name. */
const KNOWN_AS: Readonly<Record<string, CredentialKey>> = {
  AZURE_ACCOUNT_KEY: "AZURE_STORAGE_KEY",
  AZURE_ACCOUNT_SAS: "AZURE_STORAGE_SAS_TOKEN",
};

/** Variables that are no secrets. */
const VALUES = ["AWS_DEFAULT_REGION", "AWS_REGION", "AZURE_ACCOUNT_NAME"];

const PASSWORD = "RESTIC_PASSWORD";

/** Where the data of a repository lies; or what is wrong with what is said of it. */
export function backendOf(spec: RepositorySettings, at: string): Result<BackendSpec, Violation> {
  const url = urlOf(spec);
  const found = backendOfUrl({
    url,
    values: Object.fromEntries((spec.env ?? []).map(({ name, value = "" }) => [name, value])),
    keys: credentialsOf(spec),
    volume: spec.volume?.claimName,
  });
  return found.ok ? found : err(urlViolation(url, found.error, at));
}

/** Where it is, under either name. */
export function urlOf({ repository, target }: Pick<RepositorySettings, "repository" | "target">): string {
  return repository ?? target ?? "";
}

type Variable = NonNullable<RepositorySettings["env"]>[number];

/** The key of the Secret that holds the password. */
export function passwordOf({ passwordSecretRef, env = [] }: RepositorySettings) {
  return passwordSecretRef ?? env.find(({ name }) => name === PASSWORD)?.valueFrom?.secretKeyRef;
}

function credentialOf({ name }: Variable): CredentialKey | undefined {
  return KNOWN_AS[name] ?? CREDENTIAL_KEYS.find((key) => key === name);
}

function credentialsOf({ env = [] }: RepositorySettings): readonly CredentialRef[] {
  return env.flatMap((variable) => {
    const as = credentialOf(variable);
    const ref = variable.valueFrom?.secretKeyRef;
    return as && ref ? [{ ...ref, as }] : [];
  });
}

/** What is wrong with the settings of a repository, which stand at `at`. */
export function repositoryViolations(spec: RepositorySettings, at: string): readonly Violation[] {
  const backend = backendOf(spec, at);
  const { check, prune, verification } = spec.maintenanceSchedule ?? {};
  const crons = Object.entries({ check, prune, verification }).flatMap(([chore, cron]) =>
    cron === undefined ? [] : [{ cron, field: `${at}.maintenanceSchedule.${chore}` }],
  );
  return [
    ...(passwordOf(spec) ? [] : [noPassword(at)]),
    ...(spec.env ?? []).flatMap((variable, index) => environmentViolation(variable, `${at}.env[${index}]`)),
    ...extraArgViolations(spec.additionalFlags, { ...FLAG_WORDS, at: `${at}.additionalFlags` }),
    ...cronViolations(crons, "UTC", `${at}.maintenanceSchedule`),
    ...(backend.ok ? [] : [backend.error]),
  ];
}

function noPassword(at: string): Violation {
  return {
    reason: "PasswordMissing",
    field: `${at}.passwordSecretRef`,
    what: "the repository has no password",
    why: "neither passwordSecretRef nor RESTIC_PASSWORD in env names a key of a Secret",
    fix: "Set passwordSecretRef",
  };
}

function environmentViolation(variable: Variable, field: string): readonly Violation[] {
  const { name, value } = variable;
  const secret = name === PASSWORD || credentialOf(variable) !== undefined;
  if (secret && value !== undefined) {
    return [
      {
        reason: "SecretInSpec",
        field,
        what: `${name} has its value in the ResticRepository`,
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
      fix: `Remove it, or use one of ${[...CREDENTIAL_KEYS, ...Object.keys(KNOWN_AS), PASSWORD].join(", ")}`,
    },
  ];
}

const FLAG_WORDS = {
  sources: "the BackupConfig's selectors",
  repository: "the ResticRepository",
  instead: {
    retention: "set retention in the BackupConfig",
    repository: "set it in the ResticRepository",
    sources: "select PVCs in the BackupConfig",
    programs: "leave it out",
    records: "set tags in the ResticBackup",
  },
};
