import type { Violation } from "../../../core/reconcile/violation.ts";
import { backendOfUrl } from "../../../core/repository/backend_of_url.ts";
import { credentialsOf, environmentViolations } from "../../../core/repository/env_credentials.ts";
import type { BackendSpec } from "../../../core/repository/repository.ts";
import { urlViolation } from "../../../core/repository/url_violation.ts";
import { extraArgViolations } from "../../../core/rules/extra_args.ts";
import { cronViolations } from "../../../core/schedule/cron_violations.ts";
import type { ResticRepositorySpec } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { err, type Result } from "../../../lib/result.ts";

/** What a ResticRepository says of itself, and a target of a BackupConfig too. */
export type RepositorySettings = Omit<ResticRepositorySpec, "privilegedMover">;

const PASSWORD = "RESTIC_PASSWORD";

/** Where the data of a repository lies; or what is wrong with what is said of it. */
export function backendOf(spec: RepositorySettings, at: string): Result<BackendSpec, Violation> {
  const url = urlOf(spec);
  const found = backendOfUrl({
    url,
    values: Object.fromEntries((spec.env ?? []).map(({ name, value = "" }) => [name, value])),
    keys: credentialsOf(spec.env ?? []),
    volume: spec.volume?.claimName,
  });
  const words = {
    url: `${at}.repository`,
    volume: `${at}.volume`,
    claim: "volume.claimName",
    engine: "restic",
  };
  return found.ok ? found : err(urlViolation(url, found.error, words));
}

/** Where it is, under either name. */
export function urlOf({ repository, target }: Pick<RepositorySettings, "repository" | "target">): string {
  return repository ?? target ?? "";
}

/** The key of the Secret that holds the password. */
export function passwordOf({ passwordSecretRef, env = [] }: RepositorySettings) {
  return passwordSecretRef ?? env.find(({ name }) => name === PASSWORD)?.valueFrom?.secretKeyRef;
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
    ...environmentViolations(spec.env ?? [], {
      at: `${at}.env`,
      kind: "ResticRepository",
      password: PASSWORD,
    }),
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
