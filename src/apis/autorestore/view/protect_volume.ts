import { chosenOption, freeName, type ProtectFacts, type ProtectPlan } from "../../../core/view/protect.ts";
import { backupConfigResource } from "../../../kinds/autorestore/generated/backup_config.ts";
import { resticRepositoryResource } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { claimedBy } from "../config/claiming.ts";

const CRONS: Readonly<Record<string, string>> = {
  hourly: "17 * * * *",
  daily: "17 2 * * *",
  weekly: "17 2 * * 0",
};

/** A BackupConfig that names the volume; undefined where one has claimed it. */
export function protectVolume({ of, claim, chosen }: ProtectFacts): ProtectPlan | undefined {
  const { namespace = "", name } = claim.metadata;
  if (claimedBy(claim)) return undefined;
  const configs = of(backupConfigResource).filter(({ metadata }) => metadata.namespace === namespace);
  if (configs.some(({ spec }) => spec.selectors.some(({ names }) => names?.includes(name)))) return undefined;
  const stores = of(resticRepositoryResource)
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name);
  const [first] = stores;
  const repository = chosenOption(
    { name: "repository", title: "Stored in", values: stores, value: first ?? "" },
    chosen,
  );
  const often = chosenOption(
    { name: "often", title: "How often", values: Object.keys(CRONS), value: "daily" },
    chosen,
  );
  const target = {
    name: "default",
    priority: 1,
    repository: { name: repository.value },
    backupSchedule: CRONS[often.value],
    retention: { keepLast: 3, keepDaily: 14, keepWeekly: 13 },
  };
  return {
    title: "Name it in a BackupConfig of AutoRestore",
    says: [
      `It is backed up ${often.value} with restic, and kept for three months.`,
      "A new PVC of its name is filled with its newest backup.",
    ],
    ...(first === undefined
      ? { missing: `there is no ResticRepository in namespace ${namespace}: create one first` }
      : {}),
    options: [repository, often],
    writes: [
      {
        resource: backupConfigResource,
        object: {
          metadata: { namespace, name: freeName(name, configs) },
          spec: { selectors: [{ names: [name] }], backupTargets: [target], autoRestore: true },
        },
      },
    ],
  };
}
