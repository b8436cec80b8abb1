import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { sourcesAmong } from "../config/sources.ts";
import { originKey } from "../reach/derived_recipe.ts";
import { type AnyRepository, repositoryKey } from "../references.ts";
import { pathsChanged, pinnedHolder } from "../rules/config_identity.ts";
import { cronViolations } from "../rules/cron_violations.ts";
import { extraArgViolations } from "../rules/extra_args.ts";
import { hookLimits } from "../rules/hook_limits.ts";
import { identityCollision, possibleCollision } from "../rules/identity_collision.ts";
import { isReaching } from "../rules/reach.ts";
import { reachLimits } from "../rules/reach_limits.ts";
import { recipeLimits } from "../rules/recipe_limits.ts";
import { namedPaths } from "../rules/recorded_paths.ts";
import { repeatedPaths } from "../rules/repeated_paths.ts";
import { otherRepositoryUser } from "../rules/repository_user.ts";
import type { Violation } from "../rules/violation.ts";
import { type Check, type Finding, refuseAll } from "./check.ts";
import { configCrossings } from "./crossings.ts";
import { isPresent, type Lookup } from "./lookup.ts";
import { inheritedPrivileges, moverPrivileges } from "./mover_privileges.ts";
import { crossed, presence, repositoryAt, repositoryUse } from "./references.ts";

export const checkConfig: Check<BackupConfig> = (change, around) => {
  const { object } = change;
  const { lookup } = around;
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  const repository = repositoryAt(spec.repository, from, lookup);
  const place = { namespace: from, lookup };
  return [
    ...repositoryUse(spec.repository, { from, field: "spec.repository", lookup }),
    ...crossed(object, configCrossings(object, lookup), lookup),
    ...refuseAll([
      ...reachLimits(object, around.namespace),
      ...repeatedPaths(object),
      ...hookLimits(object),
      ...extraArgViolations(spec.policy.extraArgs),
      ...cronViolations([], spec.retention?.timezone ?? "UTC", "spec.retention"),
      ...(repository ? recipeLimits(object, repository.spec.engine) : []),
    ]),
    ...identity(change, around),
    ...moverPrivileges(spec.mover, place),
    ...inheritedPrivileges(repository?.spec.moverDefaults, place),
    ...foreignUser(repository, object),
    ...claims(change, around),
    ...moved(change, around),
    ...derivedEdit(change, around),
    ...oddities(object),
  ];
};

function foreignUser(repository: AnyRepository | undefined, { spec }: BackupConfig): readonly Finding[] {
  const warn = repository && otherRepositoryUser(repository, spec.mover);
  return warn ? [{ warn: `spec.mover: ${warn}` }] : [];
}

/** One that would collide with another recipe's, or leave its own snapshots behind. */
const identity: Check<BackupConfig> = ({ object }, { lookup }) => {
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  const repository = repositoryAt(spec.repository, from, lookup);
  const defaults =
    repository && "identityDefaults" in repository.spec ? repository.spec.identityDefaults : undefined;
  const holder = pinnedHolder(object, defaults);
  const others = lookup.configsOf(repositoryKey(spec.repository, from));
  const collision = identityCollision({ config: object, others, defaults });
  const possible = collision ? undefined : possibleCollision({ config: object, others, defaults });
  return [
    ...refuseAll([
      holder.ok ? pathsChanged(object, holder.value, pinnedSources(object, lookup)) : holder.error,
      collision,
    ]),
    ...(possible ? [{ warn: `spec.sources: ${possible}` }] : []),
  ];
};

/** How the claims would be recorded that were resolved before, as far as they are known. */
function pinnedSources(config: BackupConfig, lookup: Lookup): readonly ResolvedSource[] {
  // What is about several namespaces is recorded by the recipes that repeat it there.
  if (isReaching(config)) return [];
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

/** What repeats a recipe of another namespace is edited there. */
const derivedEdit: Check<BackupConfig> = ({ object, old }, { isOperator }) => {
  const from = originKey(object) ?? (old && originKey(old));
  if (from === undefined || isOperator) return [];
  const same = old && originKey(object) === originKey(old) && jsonEqual(object.spec, old.spec);
  return same ? [] : refuseAll([derivedForbidden(from)]);
};

function derivedForbidden(from: string): Violation {
  return {
    reason: "DerivedRecipe",
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

function oddities({ spec }: BackupConfig): readonly Finding[] {
  if (spec.copyMethod !== "Direct" || spec.volumeSnapshotClassName === undefined) return [];
  return [{ warn: "spec.volumeSnapshotClassName: it is not used with copyMethod Direct" }];
}
