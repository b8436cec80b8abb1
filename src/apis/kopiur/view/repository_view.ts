import { refOf } from "../../../core/view/shown_object.ts";
import type { RepositoryView } from "../../../core/view/view.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Seen } from "./seen.ts";

type AnyRepository = Seen["repositories"][number];

/**
 * A repository as it is now: it is asked itself once an hour, and its list is read now and then. What Backups and other
 * runs have told since is added to that.
 */
export function repositoryView(
  repository: AnyRepository,
  { backups, restores, maintenances }: Pick<Seen, "backups" | "restores" | "maintenances">,
): RepositoryView {
  const { spec, status } = repository;
  const { catalog, storageStats } = status ?? {};
  const own = backups.filter((backup) => isIn(backup.status?.resolved?.repository, repository));
  const made = own.filter((backup) => backup.status?.phase === "Succeeded");
  const since = (time: string | undefined) => made.filter((one) => isAfter(endOf(one), time));
  const counted = catalog?.snapshotCount ?? storageStats?.snapshotCount;
  const countedAt = catalog?.lastRefreshAt ?? storageStats?.lastObservedAt;
  const stored = storageStats?.storedBytes;
  const contacts = [
    status?.lastContactAt,
    catalog?.lastRefreshAt,
    ...made.map(endOf),
    ...restores
      .filter(({ status: of }) => of?.phase === "Completed" && isIn(of.resolved?.repository, repository))
      .map(({ status: of }) => of?.timing?.endTime),
    ...maintenances
      .filter(({ metadata }) => isMaintainedBy(repository, metadata))
      .flatMap(({ status: of }) => [of?.quick?.lastSuccessAt, of?.full?.lastSuccessAt]),
  ];
  return {
    object: refOf(repository),
    phase: status?.phase ?? "Pending",
    engine: spec.engine,
    snapshots: counted === undefined ? undefined : counted + sum(since(countedAt).map(snapshotsIn)),
    storedBytes:
      stored === undefined
        ? undefined
        : stored + sum(since(storageStats?.lastObservedAt).map((one) => one.status?.stats?.bytesNew ?? 0)),
    lastContact: newest(contacts),
    id: status?.uniqueID,
  };
}

interface Place {
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

function isIn(place: Place | undefined, { kind, metadata }: AnyRepository): boolean {
  if (place?.name !== metadata.name || (place.kind ?? "Repository") !== kind) return false;
  return metadata.namespace === undefined || place.namespace === metadata.namespace;
}

function isMaintainedBy(
  { status }: AnyRepository,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): boolean {
  return status?.maintenanceRef?.name === name && status.maintenanceRef.namespace === namespace;
}

function endOf({ status }: Backup): string | undefined {
  return status?.timing?.endTime;
}

/** Of a run that found nothing new, the snapshot was there before. */
function snapshotsIn({ status }: Backup): number {
  return (status?.snapshots ?? []).filter(({ unchanged }) => !unchanged).length;
}

function isAfter(time: string | undefined, other: string | undefined): boolean {
  return Date.parse(time ?? "") > Date.parse(other ?? "");
}

function newest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
