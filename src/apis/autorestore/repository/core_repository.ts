import { type Problem, refused } from "../../../core/reconcile/problem.ts";
import { problemOf, type Violation } from "../../../core/reconcile/violation.ts";
import type { CredentialRef, Repository } from "../../../core/repository/repository.ts";
import { extraArgViolations } from "../../../core/rules/extra_args.ts";
import type {
  ResticRepository,
  ResticRepositorySpec,
} from "../../../kinds/autorestore/generated/restic_repository.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { CREDENTIAL_KEYS, type CredentialKey } from "../../../wire/credentials.ts";
import { choreCrons } from "./chores.ts";
import { coreState } from "./repository_status.ts";
import { backendOfUrl } from "./repository_url.ts";

/** Runs at once on one repository. */
export const MAX_RUNS = 4;

/** What restic calls credentials that movers know by another name. */
const KNOWN_AS: Readonly<Record<string, CredentialKey>> = {
  AZURE_ACCOUNT_KEY: "AZURE_STORAGE_KEY",
  AZURE_ACCOUNT_SAS: "AZURE_STORAGE_SAS_TOKEN",
};

/** Variables that are no secrets. */
const VALUES = ["AWS_DEFAULT_REGION", "AWS_REGION", "AZURE_ACCOUNT_NAME"];

const PASSWORD = "RESTIC_PASSWORD";

/** A ResticRepository as the engine room knows repositories; or what is wrong with it. */
export function coreRepository(object: ResticRepository): Result<Repository, Problem> {
  const { apiVersion, kind, metadata, spec, status } = object;
  const [violation] = violationsOf(spec);
  if (violation) return err(problemOf(violation));
  const crons = choreCrons(object);
  if (!crons.ok) return err(refused("ScheduleInvalid", `spec.maintenanceSchedule: ${crons.error}.`));
  const backend = backendOfUrl({
    url: urlOf(spec),
    values: Object.fromEntries((spec.env ?? []).map(({ name, value = "" }) => [name, value])),
    keys: credentialsOf(spec),
    volume: spec.volume?.claimName,
  });
  if (!backend.ok) return err(problemOf(backend.error));
  return ok({
    apiVersion,
    kind,
    metadata,
    spec: {
      engine: "restic",
      backend: backend.value,
      encryption: { passwordSecretRef: passwordOf(spec) ?? { name: "", key: "" } },
      create: { enabled: true },
      moverDefaults: { privilegedMode: spec.privilegedMover },
      concurrency: { maxRuns: MAX_RUNS },
    },
    ...(status ? { status: coreState(status) } : {}),
  });
}

/** Where it is, under either name. */
export function urlOf({ repository, target }: Pick<ResticRepositorySpec, "repository" | "target">): string {
  return repository ?? target ?? "";
}

type Variable = NonNullable<ResticRepositorySpec["env"]>[number];

function passwordOf({ passwordSecretRef, env = [] }: ResticRepositorySpec) {
  return passwordSecretRef ?? env.find(({ name }) => name === PASSWORD)?.valueFrom?.secretKeyRef;
}

function credentialOf({ name }: Variable): CredentialKey | undefined {
  return KNOWN_AS[name] ?? CREDENTIAL_KEYS.find((key) => key === name);
}

function credentialsOf({ env = [] }: ResticRepositorySpec): readonly CredentialRef[] {
  return env.flatMap((variable) => {
    const as = credentialOf(variable);
    const ref = variable.valueFrom?.secretKeyRef;
    return as && ref ? [{ ...ref, as }] : [];
  });
}

function violationsOf(spec: ResticRepositorySpec): readonly Violation[] {
  return [
    ...(passwordOf(spec) ? [] : [NO_PASSWORD]),
    ...(spec.env ?? []).flatMap((variable, index) => environmentViolation(variable, index)),
    ...extraArgViolations(spec.additionalFlags, FLAG_WORDS),
  ];
}

const NO_PASSWORD: Violation = {
  reason: "PasswordMissing",
  field: "spec.passwordSecretRef",
  what: "the repository has no password",
  why: "neither passwordSecretRef nor RESTIC_PASSWORD in env names a key of a Secret",
  fix: "Set passwordSecretRef",
};

function environmentViolation(variable: Variable, index: number): readonly Violation[] {
  const { name, value } = variable;
  const field = `spec.env[${index}]`;
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
  at: "spec.additionalFlags",
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
