import { refOf, type ShownObject } from "../../core/view/shown_object.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { Repository } from "../../kinds/kopiur/generated/repository.ts";
import { KIND_WORDS } from "../../kinds/kopiur/words.ts";
import type { ObjectName } from "../../kube/object.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { countText } from "../count_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { RepositoryDetail } from "./contract.ts";
import { dayOf } from "./days.ts";
import { eventRows } from "./event_rows.ts";
import type { Looked } from "./fresh_views.ts";
import { conditionRows } from "./object_detail.ts";
import { visibleOf } from "./volume_detail.ts";

/** All that there is to say of one repository. */
export async function repositoryDetail(
  call: Call,
  seen: Looked,
  { kind, namespace, name }: ObjectName & { readonly kind: string },
): Promise<RepositoryDetail> {
  const repository = seen.view.repositories.find(
    ({ object }) => object.kind === kind && object.name === name && object.namespace === namespace,
  );
  const resource = (await call.views())
    .flatMap((view) => view.kinds)
    .find((one) => one.resource.kind === kind)?.resource;
  if (!repository || !resource)
    throw new CommandProblem(`there is no ${kind} ${name}`, {
      fix: "It may be in another namespace.",
      code: EXIT.notFound,
    });
  const { client } = await call.cluster();
  const where = resource.namespaced ? { namespace, name } : { name };
  const object = await client.get(resource, where, call);
  const native = Object.values(KIND_WORDS).some((one) => (one as unknown) === resource);
  const [configs, backups] = native
    ? await Promise.all([visibleOf(call, KIND_WORDS.config), visibleOf(call, KIND_WORDS.backup)])
    : [[], []];
  const users = configs.filter((config) => isUser(config, object));
  return {
    repository,
    conditions: conditionRows(object),
    says: native ? sentences(object as Repository) : [],
    usedBy: users.map(refOf),
    volumes: [...new Set(users.flatMap(volumesOf))].toSorted(),
    sizes: sizesOf(backups.filter((backup) => isIn(backup, object))),
    events: await eventRows(call, [object]),
  };
}

function isUser({ metadata, spec }: BackupConfig, { kind, metadata: of }: ShownObject): boolean {
  const { repository } = spec;
  const namespace = repository.namespace ?? metadata.namespace;
  return (
    repository.kind === kind &&
    repository.name === of.name &&
    (of.namespace === undefined || namespace === of.namespace)
  );
}

function volumesOf({ metadata, spec, status }: BackupConfig): readonly string[] {
  return (
    status?.resolved?.identity?.sources?.map(({ pvc }) => pvc) ??
    spec.sources.flatMap(({ pvc }) => (pvc ? [`${metadata.namespace}/${pvc.name}`] : []))
  );
}

function isIn({ status }: Backup, { kind, metadata }: ShownObject): boolean {
  const place = status?.resolved?.repository;
  return (
    place?.name === metadata.name &&
    (place.kind ?? "Repository") === kind &&
    (metadata.namespace === undefined || place.namespace === metadata.namespace)
  );
}

/** Where it is and how it stands, a sentence each. */
export function sentences({ spec, status }: Repository): readonly string[] {
  const { storageStats, catalog, breaker, runs, deletions, maintenanceRef, missingData } = status ?? {};
  const { storedBytes, logicalBytes } = storageStats ?? {};
  return [
    `It is a ${spec.engine} repository${status?.backend ? ` in storage of kind ${status.backend}` : ""}.`,
    ...(storedBytes === undefined
      ? []
      : [
          `It takes ${bytesText(storedBytes)} of storage${logicalBytes === undefined ? "" : ` for ${bytesText(logicalBytes)} in the newest snapshots`}.`,
        ]),
    ...(catalog?.snapshotCount === undefined
      ? []
      : [
          `It holds ${countText(catalog.snapshotCount, "snapshot")} of ${countText(catalog.identityCount ?? 0, "identity", "identities")}.`,
        ]),
    maintenanceRef
      ? `Maintenance ${maintenanceRef.namespace}/${maintenanceRef.name} maintains it.`
      : "No Maintenance maintains it.",
    `${countText(runs?.running ?? 0, "run")} at work on it, ${runs?.waiting ?? 0} waiting.`,
    breaker && breaker.state !== "Closed"
      ? `Its storage failed ${breaker.consecutiveFailures} times in a row: runs wait${breaker.nextProbeAt ? ` until it is tried again at ${breaker.nextProbeAt}` : ""}.`
      : "Its storage works.",
    ...(deletions?.held
      ? [`${countText(deletions.held, "deletion")} of snapshots wait for an acknowledgement.`]
      : []),
    ...(missingData
      ? [`DATA IS MISSING: ${countText(missingData.packs, "pack")} that it needs are not in its storage.`]
      : []),
  ];
}

/** By day: the newest size of every plan's backups together, and what was added. */
export function sizesOf(backups: readonly Backup[]): RepositoryDetail["sizes"] {
  const made = backups.flatMap(({ metadata, spec, status }) => {
    const at = status?.timing?.endTime;
    if (!at || status.phase !== "Succeeded") return [];
    const { sizeBytes = 0, bytesNew = 0 } = status.stats ?? {};
    return [
      { at, day: dayOf(at), plan: `${metadata.namespace}/${spec.configRef?.name}`, sizeBytes, bytesNew },
    ];
  });
  const held = new Map<string, number>();
  const days = Map.groupBy(
    made.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    ({ day }) => day,
  );
  return [...days].map(([day, all]) => {
    for (const { plan, sizeBytes } of all) held.set(plan, sizeBytes);
    const logical = [...held.values()].reduce((sum, one) => sum + one, 0);
    return { day, logical, added: all.reduce((sum, { bytesNew }) => sum + bytesNew, 0) };
  });
}
