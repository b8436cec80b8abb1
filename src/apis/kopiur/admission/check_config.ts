import type { Change } from "../../../core/admission/check.ts";
import { crossed } from "../../../core/consent/crossing.ts";
import { inheritedPrivileges, moverPrivileges } from "../../../core/consent/mover_privileges.ts";
import { keepsSome, RETENTION_RULES } from "../../../core/policy/retention_rules.ts";
import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import { readOnlyViolation } from "../../../core/repository/read_only.ts";
import { otherRepositoryUser } from "../../../core/repository/repository_user.ts";
import { cronViolations } from "../../../core/schedule/cron_violations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { sourcesAmong } from "../config/sources.ts";
import { originKey } from "../multi_namespace/derived_config.ts";
import { isMultiNamespace, namespaceLimits } from "../multi_namespace/namespaces_of.ts";
import { type AnyRepository, repositoryKey } from "../references.ts";
import {
  configCollision,
  configHolder,
  configPathsChanged,
  identityDefaultsOf,
  possibleConfigCollision,
} from "../rules/config_identity.ts";
import { configLimits } from "../rules/config_limits.ts";
import { namedPaths } from "../rules/recorded_paths.ts";
import { repositorySources } from "../rules/repository_claims.ts";
import { consentRules } from "./consent_rules.ts";
import { configCrossings } from "./crossings.ts";
import type { Check, Lookup } from "./lookup.ts";
import { repositoryAt, repositoryUse } from "./references.ts";

export const checkConfig: Check<BackupConfig> = (change, around) => {
  const { object } = change;
  const { lookup } = around;
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  const repository = repositoryAt(spec.repository, from, lookup);
  const place = { object, lookup };
  return [
    ...repositoryUse(spec.repository, { from, field: "spec.repository", lookup }),
    ...crossed(object, configCrossings(object, lookup), consentRules(lookup)),
    ...refuseAll([
      ...namespaceLimits(object, around.namespace),
      ...configLimits(object, repository?.spec.engine),
      ...repositorySources(object, lookup),
      ...cronViolations([], spec.retention?.timezone ?? "UTC", "spec.retention"),
    ]),
    ...identity(change, around),
    ...moverPrivileges(spec.mover, { ...place, at: "spec.mover" }),
    ...inheritedPrivileges(repository?.spec.moverDefaults, place, "moverDefaults"),
    ...foreignUser(repository, object),
    ...readOnlyTarget(repository),
    ...claims(change, around),
    ...moved(change, around),
    ...keptLess(change),
    ...derivedEdit(change, around),
    ...oddities(object),
  ];
};

/** It may be there to be restored from, so that it is no mistake. */
function readOnlyTarget(repository: AnyRepository | undefined): readonly Finding[] {
  const readOnly = repository && readOnlyViolation(repository, "backup", "spec.repository");
  return readOnly ? [{ warn: `${readOnly.field}: ${readOnly.what}: ${readOnly.why}` }] : [];
}

function foreignUser(repository: AnyRepository | undefined, { spec }: BackupConfig): readonly Finding[] {
  const warn = repository && otherRepositoryUser(repository, spec.mover);
  return warn ? [{ warn: `spec.mover: ${warn}` }] : [];
}

/** One that would collide with another BackupConfig's, or leave its own snapshots behind. */
const identity: Check<BackupConfig> = ({ object }, { lookup }) => {
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  const defaults = identityDefaultsOf(repositoryAt(spec.repository, from, lookup));
  const holder = configHolder(object, defaults);
  const others = lookup.configsOf(repositoryKey(spec.repository, from));
  const configs = { config: object, others, defaults };
  const collision = configCollision(configs);
  const possible = collision ? undefined : possibleConfigCollision(configs);
  return [
    ...refuseAll([
      holder.ok ? configPathsChanged(object, holder.value, pinnedSources(object, lookup)) : holder.error,
      collision,
    ]),
    ...(possible ? [{ warn: `spec.sources: ${possible}` }] : []),
  ];
};

/** How the claims would be recorded that were resolved before, as far as they are known. */
function pinnedSources(config: BackupConfig, lookup: Lookup): readonly ResolvedSource[] {
  // What is about several namespaces is recorded by the BackupConfigs that repeat it there.
  if (isMultiNamespace(config)) return [];
  const { sources = [] } = config.status?.resolved?.identity ?? {};
  const found = sources.flatMap(({ pvc }) => {
    const claim = lookup.claim(parseKey(pvc as ObjectKey));
    return isPresent(claim) ? [claim] : [];
  });
  return sourcesAmong(config, found);
}

const claims: Check<BackupConfig> = ({ object }, { lookup }) =>
  object.spec.sources.flatMap(({ pvc }, index) => {
    if (!pvc) return [];
    const name = { namespace: object.metadata.namespace, name: pvc.name };
    const field = `spec.sources[${index}].pvc`;
    return presence(lookup.claim(name), { field, kind: "PersistentVolumeClaim", name });
  });

/** What repeats a BackupConfig of another namespace is edited there. */
const derivedEdit: Check<BackupConfig> = ({ object, old }, { isOperator }) => {
  const from = originKey(object) ?? (old && originKey(old));
  if (from === undefined || isOperator) return [];
  const same = old && originKey(object) === originKey(old) && jsonEqual(object.spec, old.spec);
  return same ? [] : refuseAll([derivedForbidden(from)]);
};

function derivedForbidden(from: string): Violation {
  return {
    reason: "DerivedConfig",
    field: "spec",
    forbidden: true,
    what: "this BackupConfig cannot be written",
    why: `it repeats BackupConfig ${from}, as the operator keeps it`,
    fix: "Edit that one, or delete this one once the namespace does not allow it any more",
  };
}

/** What was recorded elsewhere so far is not found under the new place. */
const moved: Check<BackupConfig> = ({ object, old }) => {
  if (!old?.status?.resolved) return [];
  const findings: Finding[] = [];
  if (!jsonEqual(old.spec.repository, object.spec.repository)) {
    findings.push({ warn: "spec.repository: the snapshots so far stay in the repository that they are in" });
  }
  const paths = new Set(namedPaths(object).map(({ path }) => path));
  const left = namedPaths(old).find(({ path }) => !paths.has(path));
  if (left)
    findings.push({ warn: `spec.sources: the snapshots of ${left.path} stay, and get no successors` });
  return findings;
};

/** What no rule keeps any more is deleted with its snapshots as soon as the operator sees the edit. */
export function keptLess({ object, old }: Pick<Change<BackupConfig>, "object" | "old">): readonly Finding[] {
  const [before, after] = [old?.spec.retention, object.spec.retention];
  if (!old?.status?.lastSuccessfulBackup || !after || !keepsSome(after)) return [];
  if (!before || !keepsSome(before)) return [{ warn: `spec.retention: everything was kept so far; ${GOES}` }];
  const fewer = RETENTION_RULES.filter((rule) => (after[rule] ?? 0) < (before[rule] ?? 0));
  if (fewer.length === 0) return [];
  const changes = fewer.map((rule) => `${rule} is ${after[rule] ?? 0} instead of ${before[rule]}`).join(", ");
  return [{ warn: `spec.retention: ${changes}; ${GOES}` }];
}

const GOES =
  "scheduled Backups that no rule keeps now are deleted with their snapshots. What is to stay needs holdfast hold backup/<name>";

function oddities({ spec }: BackupConfig): readonly Finding[] {
  if (spec.copyMethod !== "Direct" || spec.volumeSnapshotClassName === undefined) return [];
  return [{ warn: "spec.volumeSnapshotClassName: it is not used with copyMethod Direct" }];
}
