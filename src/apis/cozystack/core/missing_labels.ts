import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import { LABELS } from "../../../kinds/cozystack/labels.ts";
import { labelValue } from "../../../lib/names.ts";
import { applicationLabels } from "./resolve_class.ts";

/** By which a Backup can be found: its application and its Plan. */
export function backupLabels({ applicationRef, planRef }: Backup["spec"]): Readonly<Record<string, string>> {
  return {
    ...applicationLabels(applicationRef),
    ...(planRef ? { [LABELS.plan]: labelValue(planRef.name) } : {}),
  };
}

/** Those that a Backup lacks: drivers of others need not know them. Nothing where it has all. */
export function missingLabels({ metadata, spec }: Backup): Readonly<Record<string, string>> | undefined {
  const missing = Object.entries(backupLabels(spec)).filter(
    ([name, value]) => metadata.labels?.[name] !== value,
  );
  return missing.length > 0 && !metadata.deletionTimestamp ? Object.fromEntries(missing) : undefined;
}
