import { CONDITIONS } from "../../core/reconcile/condition_types.ts";
import type { ObjectRef, ShownObject } from "../../core/view/shown_object.ts";
import { conditionOf, refOf } from "../../core/view/shown_object.ts";
import type { VolumeView } from "../../core/view/view.ts";
import { type BackupConfig, backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { isForbidden, isNotFound, isNotServed } from "../../kube/api_error.ts";
import { PersistentVolumeClaims, type Pod, Pods } from "../../kube/builtin.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { listed } from "../frame/scope.ts";
import { configSentences } from "./config_sentences.ts";
import { endOf, isFailed } from "./console_view.ts";
import type { VolumeDetail } from "./contract.ts";
import { daysOf } from "./days.ts";
import { eventRows } from "./event_rows.ts";
import type { Looked } from "./fresh_views.ts";
import { snapshotPage, snapshotRows } from "./snapshot_rows.ts";

const DAYS = 365;
const MOST_SNAPSHOTS = 1000;

/** All that there is to say of one volume. */
export async function volumeDetail(
  call: Call,
  seen: Looked,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<VolumeDetail> {
  const key = keyOf({ namespace, name });
  const volume = seen.view.volumes.find((one) => one.namespace === namespace && one.name === name);
  if (!volume) throw notThere(key);
  const { client } = await call.cluster();
  const [claim, pods, asking, restores] = await Promise.all([
    client.get(PersistentVolumeClaims, { namespace, name }, call),
    visible(client.list(Pods, { namespace, signal: call.signal, omitManagedFields: true })),
    askingObjects(call, volume),
    visibleOf(call, restoreResource),
  ]);
  const rows = snapshotRows(seen);
  const own = rows.filter((row) => row.claim === key);
  const names = new Set(own.map(({ object }) => object.name));
  return {
    volume,
    size: claim.status?.capacity?.storage ?? claim.spec?.resources?.requests?.storage,
    storageClass: claim.spec?.storageClassName,
    phase: claim.status?.phase,
    usedBy: (pods?.items ?? []).filter((pod) => uses(pod, name)).map(userOf),
    plan: await plansOf(call, asking),
    proof: proofOf(restores, { namespace, name, backups: names }),
    days: daysOf({
      snapshots: own,
      failures: seen.runs
        .filter(({ object, kind }) => isFailed(object) && plansFor(kind.planOf?.(object), namespace, volume))
        .map(({ object }) => endOf(object)),
      now: seen.at,
      count: DAYS,
      sparse: true,
    }),
    snapshots: snapshotPage(own, { offset: 0, limit: MOST_SNAPSHOTS }).items,
    events: await eventRows(call, [claim, ...asking.map(({ object }) => object)]),
  };
}

function notThere(key: string): CommandProblem {
  return new CommandProblem(`there is no volume ${key}`, {
    fix: "Where it was lost, the overview names it with what brings it back.",
    code: EXIT.notFound,
  });
}

interface Asking {
  readonly api: string;
  readonly object: ShownObject;
}

/** The objects that ask for its backups, as far as they can be read. */
async function askingObjects(call: Call, { by }: VolumeView): Promise<readonly Asking[]> {
  const [views, { client }] = await Promise.all([call.views(), call.cluster()]);
  const found = by.map(async ({ api, kind, namespace, name }) => {
    const view = views.find((one) => one.api === api);
    const resource = view?.kinds.find((one) => one.resource.kind === kind)?.resource;
    const object = resource && (await visible(client.get(resource, { namespace, name }, call)));
    return object ? [{ api, object }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function plansOf(call: Call, asking: readonly Asking[]): Promise<VolumeDetail["plan"]> {
  const [views, schedules] = await Promise.all([call.views(), visibleOf(call, backupScheduleResource)]);
  return asking.map(({ api, object }) => {
    const ref: ObjectRef & { readonly api: string } = { api, ...refOf(object) };
    if (api === "kopiur" && object.kind === backupConfigResource.kind) {
      const own = schedules.filter(
        ({ metadata, spec }) =>
          metadata.namespace === object.metadata.namespace && spec.configRef.name === object.metadata.name,
      );
      return { object: ref, says: configSentences(object as BackupConfig, own) };
    }
    const kinds = views.find((one) => one.api === api)?.kinds ?? [];
    const columns = kinds.find(({ resource }) => resource.kind === object.kind)?.columns ?? [];
    const says = columns.flatMap(({ title, value }) => {
      const told = value(object);
      return typeof told === "string" || typeof told === "number" ? [`${title.toLowerCase()}: ${told}`] : [];
    });
    return { object: ref, says };
  });
}

/** Whether a run is by one of the objects that ask for the volume's backups. */
function plansFor(
  plan: { readonly namespace?: string | undefined; readonly name: string } | undefined,
  namespace: string,
  { by }: VolumeView,
): boolean {
  return by.some((one) => one.name === plan?.name && (plan.namespace ?? namespace) === one.namespace);
}

/** The last time that data of the volume came back, whole or not. */
export function proofOf(
  restores: readonly Restore[],
  volume: { readonly namespace: string; readonly name: string; readonly backups: ReadonlySet<string> },
): VolumeDetail["proof"] {
  const ended = restores.flatMap((restore) => {
    const { metadata, spec, status } = restore;
    const into = spec.target?.pvcRef?.name === volume.name && metadata.namespace === volume.namespace;
    const from = volume.backups.has(status?.resolved?.backupRef?.name ?? "");
    const at = status?.timing?.endTime;
    if (!at || !(into || from) || !["Completed", "Failed"].includes(status.phase ?? "")) return [];
    const lost = (status.losses ?? []).some(({ kind }) => kind === "Content");
    const told = conditionOf(restore, CONDITIONS.restored)?.reason !== "Unreported";
    const good = status.phase === "Completed" && !lost && !status.incomplete && told;
    const what = `Restore ${metadata.name} of ${status.resolved?.backupRef?.name ?? "a snapshot"}`;
    return [{ at, what, good }];
  });
  return ended.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))[0];
}

function uses({ spec, status }: Pod, claim: string): boolean {
  const over = status?.phase === "Succeeded" || status?.phase === "Failed";
  return !over && (spec?.volumes ?? []).some((one) => one.persistentVolumeClaim?.claimName === claim);
}

function userOf({ metadata }: Pod): VolumeDetail["usedBy"][number] {
  const owner = metadata.ownerReferences?.[0];
  return { pod: metadata.name, ...(owner ? { owner: `${owner.kind} ${owner.name}` } : {}) };
}

/** Nothing of what may not be looked at, or is not there. */
export async function visible<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error) || isNotServed(error)) return undefined;
    throw error;
  }
}

/** All objects of a kind that may be looked at. */
export async function visibleOf<T extends KubeObject>(
  call: Call,
  resource: Resource<T>,
): Promise<readonly T[]> {
  return (await visible(listed(call, resource))) ?? [];
}
