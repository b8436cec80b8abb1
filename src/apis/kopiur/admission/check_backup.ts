import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { unknownCompressor } from "../rules/recipe_limits.ts";
import type { Violation } from "../rules/violation.ts";
import { type Check, type Finding, refuseAll } from "./check.ts";
import { backupCrossings, configCrossings } from "./crossings.ts";
import { configAt, crossed, presence, repositoryAt, repositoryUse } from "./references.ts";

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
    ...crossed(object, backupCrossings(object, lookup), lookup),
    ...recipe(change, around),
  ];
};

const FIELD = "spec.configRef";

const WITHOUT_RECIPE: Violation = {
  reason: "RecipeMissing",
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
  const engine = repositoryAt(ref, owner, lookup)?.spec.engine;
  const compressor = object.spec.parameters?.compressionOverride;
  const field = "spec.parameters.compressionOverride";
  return [
    ...[...shared].flatMap((namespace) => repositoryUse(ref, { from: namespace, field: FIELD, lookup })),
    ...crossed(
      config,
      lent.map((crossing) => ({ ...crossing, field: FIELD })),
      lookup,
    ),
    ...refuseAll([engine && unknownCompressor(compressor, engine, field)]),
    ...notRunnable(config),
  ];
};

function notRunnable(config: NonNullable<ReturnType<typeof configAt>>): readonly Finding[] {
  const { status } = config;
  if (status?.phase !== "Failed") return [];
  const why = status.conditions?.find(({ type }) => type === "Ready")?.message ?? "its status says why";
  return [{ warn: `${FIELD}: BackupConfig ${keyOf(config)} cannot be run now: ${why}` }];
}
