import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { STRATEGY_GROUP } from "../../../../kinds/cozystack/group.ts";

/** What is kept of a PVC, so that it can be made again where it is gone. */
export interface VolumeRecord {
  readonly name: string;
  readonly capacity: string;
  readonly modes?: readonly string[];
  readonly class?: string;
  /** Labels that hold the name of the application: its copy gets them with the other name. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** In a Backup's driverMetadata. */
export const METADATA = {
  /** The Backup of the native API that holds the data. */
  backup: `${STRATEGY_GROUP}/backup`,
  volumes: `${STRATEGY_GROUP}/volumes`,
} as const;

export function recordOf({ metadata, spec }: Claim, applicationName: string): VolumeRecord {
  const labels = Object.entries(metadata.labels ?? {}).filter(([, value]) => value === applicationName);
  return {
    name: metadata.name,
    capacity: String(spec?.resources?.requests?.storage ?? "1Gi"),
    ...(spec?.accessModes ? { modes: spec.accessModes } : {}),
    ...(spec?.storageClassName ? { class: spec.storageClassName } : {}),
    ...(labels.length > 0 ? { labels: Object.fromEntries(labels) } : {}),
  };
}

export function recordsText(records: readonly VolumeRecord[]): string {
  return JSON.stringify(records);
}

/** The records in a text; undefined where it holds none. */
export function readRecords(text: string | undefined): readonly VolumeRecord[] | undefined {
  try {
    const records: unknown = JSON.parse(text ?? "");
    return Array.isArray(records) && records.length > 0 ? (records as readonly VolumeRecord[]) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The name of a PVC in a copy of the application: its own name with that of the copy in place of the original's, which is
 * what a StatefulSet of that name looks for.
 */
export function copyName(claim: string, from: string, to: string): string {
  if (from === to) return claim;
  const parts = `-${claim}-`;
  if (!parts.includes(`-${from}-`)) return `${to}-${claim}`;
  return parts.replace(`-${from}-`, `-${to}-`).slice(1, -1);
}
