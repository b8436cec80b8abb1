import { crossed } from "../../../core/consent/crossing.ts";
import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import { readOnlyViolation } from "../../../core/repository/read_only.ts";
import { unknownCompressor } from "../../../core/rules/engine_limits.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { consentRules } from "./consent_rules.ts";
import { backupCrossings, configCrossings } from "./crossings.ts";
import type { Check } from "./lookup.ts";
import { configAt, repositoryAt, repositoryUse } from "./references.ts";

export const checkBackup: Check<Backup> = (change, around) => {
  const { object } = change;
  const { lookup } = around;
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  if (!spec.configRef) return around.isOperator ? [] : refuseAll([WITHOUT_RECIPE]);
  const name = { namespace: from, ...spec.configRef };
  const here = name.namespace === from;
  return [
    ...(here ? presence(lookup.config(name), { field: FIELD, kind: "BackupConfig", name }) : []),
    ...crossed(object, backupCrossings(object, lookup), consentRules(lookup)),
    ...recipe(change, around),
  ];
};

const FIELD = "spec.configRef";

const WITHOUT_RECIPE: Violation = {
  reason: "ConfigNotNamed",
  field: FIELD,
  forbidden: true,
  what: "a Backup needs a configRef",
  why: "one without stands for a snapshot that was found in a repository, and only the operator finds those",
  fix: "Name the BackupConfig to run",
};

/** Whoever lost the right to a repository begins no new backup in it. */
const recipe: Check<Backup> = ({ object }, { lookup }) => {
  const from = object.metadata.namespace ?? "";
  const config = configAt(object.spec.configRef, from, lookup);
  if (!config) return [];
  const owner = config.metadata.namespace ?? "";
  const { repository: ref } = config.spec;
  const shared = ref.kind === "ClusterRepository" ? new Set([owner, from]) : [];
  const lent = configCrossings(config, lookup).filter(({ kind }) => kind === "Repository");
  const repository = repositoryAt(ref, owner, lookup);
  const engine = repository?.spec.engine;
  const compressor = object.spec.parameters?.compressionOverride;
  const field = "spec.parameters.compressionOverride";
  return [
    ...[...shared].flatMap((namespace) => repositoryUse(ref, { from: namespace, field: FIELD, lookup })),
    ...crossed(
      config,
      lent.map((crossing) => ({ ...crossing, field: FIELD })),
      consentRules(lookup),
    ),
    ...refuseAll([
      repository && readOnlyViolation(repository, "backup", FIELD),
      engine && unknownCompressor(compressor, engine, field),
    ]),
    ...notRunnable(config),
  ];
};

function notRunnable(config: NonNullable<ReturnType<typeof configAt>>): readonly Finding[] {
  const { status } = config;
  if (status?.phase !== "Failed") return [];
  const why = status.conditions?.find(({ type }) => type === "Ready")?.message ?? "its status says why";
  return [{ warn: `${FIELD}: BackupConfig ${keyOf(config)} cannot be run now: ${why}` }];
}
