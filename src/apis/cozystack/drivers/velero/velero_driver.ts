import type { EngineRoom } from "../../../../core/reconcile/engine_room.ts";
import { blocked } from "../../../../core/reconcile/problem.ts";
import type { Backup } from "../../../../kinds/cozystack/generated/backup.ts";
import { type Velero, veleroResource } from "../../../../kinds/cozystack/generated/velero.ts";
import { GROUP, STRATEGY_GROUP } from "../../../../kinds/cozystack/group.ts";
import {
  VELERO_BACKUPS,
  VELERO_DELETIONS,
  VELERO_RESTORES,
  type VeleroDeletion,
  type VeleroObject,
} from "../../../../kinds/velero/server_objects.ts";
import { ignoreGone } from "../../../../kube/api_error.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import { fingerprint } from "../../../../lib/hash.ts";
import { objectName } from "../../../../lib/names.ts";
import {
  type Abandoned,
  type BackupWork,
  type Driver,
  type DriverIntent,
  LEAVE_DATA,
  type RemovalWork,
  type RestoreWork,
  type Step,
} from "../driver.ts";
import { names, rendered, toAnother } from "../template_data.ts";

/** In a Backup's driverMetadata. */
const METADATA = {
  namespace: `${STRATEGY_GROUP}/velero-namespace`,
  backup: `${STRATEGY_GROUP}/velero-backup`,
};

/** On objects of Velero: the UID of the object that they work for. */
const MADE_FOR = `${GROUP}/job-uid`;
/** On objects of Velero, which are all in one namespace: the namespace that they work for. */
const TENANT = `${GROUP}/namespace`;

/** How long Velero keeps a Backup, unless its template says otherwise: else it would delete the data after 30 days. */
const KEPT = "87600h0m0s";

/** How often Velero's objects are looked at, in milliseconds: they may be in a cluster without Velero, so no one watches them. */
const PERIOD = 5_000;

const MISSING: Step = {
  type: "Waiting",
  problem: blocked(
    "VeleroNotInstalled",
    "The cluster does not serve velero.io/v1. Install Velero; the job then goes on.",
  ),
};

const MISSING_AT_REMOVAL: Step = {
  type: "Waiting",
  problem: blocked(
    "VeleroNotInstalled",
    `The cluster does not serve velero.io/v1, so the data cannot be deleted. Install Velero. ${LEAVE_DATA}`,
  ),
};

/** Has a Velero do the work, by rendering its objects and following them. */
export function veleroDriver({ client, clock }: Pick<EngineRoom, "client" | "clock">): Driver<Velero> {
  const look = <T extends KubeObject>(
    resource: Resource<T>,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ) => client.get(resource, { namespace, name }, { signal }).catch(ignoreGone);
  return {
    name: "velero",
    strategies: [veleroResource],
    restoresElsewhere: true,
    backup: async (work, signal) => {
      if (!(await client.serves(VELERO_BACKUPS, { signal }))) return MISSING;
      const { namespace } = work.strategy.spec;
      return decideVeleroBackup(work, await look(VELERO_BACKUPS, namespace, veleroName(work.object), signal));
    },
    restore: async (work, signal) => {
      if (!(await client.serves(VELERO_RESTORES, { signal }))) return MISSING;
      const { namespace, name } = recordedIn(work.backup);
      const of = name === undefined ? undefined : await look(VELERO_BACKUPS, namespace, name, signal);
      const made = await look(VELERO_RESTORES, namespace, veleroName(work.object), signal);
      return decideVeleroRestore({ work, of, made });
    },
    gone: async (backup, signal) => {
      const { namespace, name } = recordedIn(backup);
      if (name === undefined || !(await client.serves(VELERO_BACKUPS, { signal }))) return undefined;
      return (await look(VELERO_BACKUPS, namespace, name, signal))
        ? undefined
        : `Velero no longer has its Backup ${namespace}/${name}: it expired, or a request deleted it`;
    },
    abandon: async (job, signal) => {
      const { namespace } = job.status?.driverState ?? {};
      if (namespace === undefined || !(await client.serves(VELERO_BACKUPS, { signal })))
        return { intents: [] };
      const made = await look(VELERO_BACKUPS, namespace, veleroName(job), signal);
      return decideAbandoned(job, made, clock.now());
    },
    remove: async (work, signal) => {
      const { namespace, name } = recordedIn(work.object);
      if (name === undefined) {
        return { type: "Succeeded", message: "The Backup names no Backup of Velero: no data is deleted." };
      }
      if (!(await client.serves(VELERO_BACKUPS, { signal }))) return MISSING_AT_REMOVAL;
      // In this order: a request that is processed leaves a Backup only where it failed.
      const request = await look(VELERO_DELETIONS, namespace, deletionName(work), signal);
      const made = await look(VELERO_BACKUPS, namespace, name, signal);
      return decideVeleroRemoval({ work, made, request });
    },
  };
}

/** The name of the object of Velero that does the work of a job. */
export function veleroName({ metadata }: KubeObject): string {
  return objectName(metadata.namespace ?? "", metadata.name, fingerprint(metadata.uid, 6));
}

/** The name of the request of a round: Velero looks at each once. */
function deletionName({ object, state }: RemovalWork<Velero>): string {
  const { round = "1" } = state;
  return round === "1" ? veleroName(object) : objectName(veleroName(object), round);
}

/** The Backup of Velero that a Backup names. */
function recordedIn({ spec }: Backup): { readonly namespace: string; readonly name: string | undefined } {
  const { [METADATA.namespace]: namespace = "", [METADATA.backup]: name } = spec.driverMetadata ?? {};
  return { namespace, name: namespace === "" ? undefined : name };
}

/** Velero would do it for anyone who names the Backup: it is for the namespace alone that it was made for. */
function isOf({ metadata }: VeleroObject, namespace: string): boolean {
  return metadata.annotations?.[TENANT] === namespace;
}

function draftOf(object: KubeObject, namespace: string, spec: object, name = veleroName(object)) {
  const { uid, namespace: tenant = "" } = object.metadata;
  const annotations = { [MADE_FOR]: uid, [TENANT]: tenant };
  return { metadata: { name, namespace, annotations }, spec } as Extract<
    DriverIntent,
    { type: "Ensure" }
  >["draft"];
}

export function decideVeleroBackup(work: BackupWork<Velero>, made: VeleroObject | undefined): Step {
  const { object, strategy, now } = work;
  const { namespace, backupTemplate } = strategy.spec;
  if (!made) {
    const spec = rendered(backupTemplate.spec, work, "backup", "spec.backupTemplate.spec");
    if (!spec.ok) return templateFailed(spec.error, strategy);
    const stray = strayNamespace(spec.value, object.metadata.namespace ?? "");
    if (stray !== undefined) return tooWide("backupTemplate", stray, work);
    const { ttl } = spec.value as WrittenSpec;
    const includedNamespaces = [object.metadata.namespace];
    const draft = draftOf(object, namespace, { ...spec.value, ttl: ttl || KEPT, includedNamespaces });
    const intents = [{ type: "Ensure", resource: VELERO_BACKUPS, draft } as const];
    const begun = { message: "Waiting for Velero to begin.", state: { namespace }, intents };
    return { type: "Running", ...begun, wakeAt: now + PERIOD };
  }
  const end = endOf(made, object, now);
  if (end) return end;
  return {
    type: "Succeeded",
    message: "Velero has backed the application up.",
    takenAt: made.status?.startTimestamp,
    metadata: { [METADATA.namespace]: namespace, [METADATA.backup]: made.metadata.name },
    artifact: { uri: `velero://${namespace}/${made.metadata.name}` },
  };
}

/** What of a template's spec is looked at. Anyone may have left a field empty. */
interface WrittenSpec {
  readonly ttl?: string | null;
  readonly includedNamespaces?: unknown;
  readonly namespaceMapping?: Readonly<Record<string, string>> | null;
}

/** A namespace that a template names besides the tenant's, which Velero would back up, or write, with rights of its own. */
function strayNamespace(spec: object, tenant: string): string | undefined {
  const { includedNamespaces } = spec as WrittenSpec;
  const stray = [includedNamespaces ?? []].flat().find((one) => one !== tenant);
  return stray === undefined ? undefined : String(stray);
}

export interface ObservedVeleroRestore {
  readonly work: RestoreWork<Velero>;
  /** The Backup of Velero that holds the data. */
  readonly of: VeleroObject | undefined;
  readonly made: VeleroObject | undefined;
}

export function decideVeleroRestore({ work, of, made }: ObservedVeleroRestore): Step {
  const { object, strategy, backup, namespace: tenant, targetNamespace, now } = work;
  const { namespace, name: backupName } = recordedIn(backup);
  if (backupName === undefined) {
    const message = `Backup ${backup.metadata.name} does not name Velero's: its driverMetadata lacks ${METADATA.namespace} or ${METADATA.backup}.`;
    return { type: "Failed", reason: "MetadataMissing", message };
  }
  if (!made) {
    if (!of || !isOf(of, tenant)) {
      const message = `Velero has no Backup ${namespace}/${backupName} that was made for namespace ${tenant}. Restore another Backup.`;
      return { type: "Failed", reason: "VeleroBackupNotFound", message };
    }
    const { spec: template = {} } = strategy.spec.restoreTemplate ?? {};
    if (toAnother(work) && !names(template, "Application")) return targetUnsupported(work);
    const spec = rendered(template, work, "restore", "spec.restoreTemplate.spec");
    if (!spec.ok) return templateFailed(spec.error, strategy);
    const mapping = (spec.value as WrittenSpec).namespaceMapping ?? {};
    const mapped = Object.hasOwn(mapping, tenant) ? mapping[tenant] : tenant;
    const isHere = targetNamespace === tenant;
    const stray = strayNamespace(spec.value, tenant) ?? (isHere && mapped !== tenant ? mapped : undefined);
    if (stray !== undefined) return tooWide("restoreTemplate", stray, work);
    const draft = draftOf(object, namespace, {
      ...spec.value,
      ...(isHere ? {} : { namespaceMapping: { ...mapping, [tenant]: targetNamespace } }),
      includedNamespaces: [tenant],
      backupName,
    });
    const intents = [{ type: "Ensure", resource: VELERO_RESTORES, draft } as const];
    return { type: "Running", message: "Waiting for Velero to begin.", intents, wakeAt: now + PERIOD };
  }
  return endOf(made, object, now) ?? { type: "Succeeded", message: "Velero has restored the application." };
}

/** Velero deletes no Backup that it still works on, so the job stays until that has ended. */
export function decideAbandoned(job: KubeObject, made: VeleroObject | undefined, now: number): Abandoned {
  if (!made || made.metadata.annotations?.[MADE_FOR] !== job.metadata.uid) return { intents: [] };
  const { phase = "New" } = made.status ?? {};
  if (phase !== "Completed" && !/Failed/.test(phase)) return { intents: [], wakeAt: now + PERIOD };
  const { name, namespace = "" } = made.metadata;
  const draft = draftOf(job, namespace, { backupName: name });
  return { intents: [{ type: "Ensure", resource: VELERO_DELETIONS, draft }] };
}

export interface ObservedVeleroRemoval {
  readonly work: RemovalWork<Velero>;
  readonly made: VeleroObject | undefined;
  /** Of this round. */
  readonly request: VeleroDeletion | undefined;
}

export function decideVeleroRemoval({ work, made, request }: ObservedVeleroRemoval): Step {
  const { object, now } = work;
  if (!made) return { type: "Succeeded", message: "Velero has deleted the data." };
  const { name, namespace = "" } = made.metadata;
  if (!isOf(made, object.metadata.namespace ?? "")) {
    return { type: "Succeeded", message: `Backup ${name} of Velero is another namespace's, and stays.` };
  }
  if (request?.status?.phase === "Processed") {
    const why = request.status.errors?.join("; ") || "it does not say why";
    return {
      type: "Failed",
      reason: "VeleroFailed",
      message: `Velero did not delete its Backup ${namespace}/${name}: ${why}.`,
    };
  }
  const message = `Waiting for Velero to delete its Backup ${name}.`;
  const draft = draftOf(object, namespace, { backupName: name }, deletionName(work));
  const intents = request ? [] : [{ type: "Ensure", resource: VELERO_DELETIONS, draft } as const];
  return { type: "Running", message, intents, wakeAt: now + PERIOD };
}

/** That it goes on or has failed; nothing where it has succeeded. */
function endOf(made: VeleroObject, object: KubeObject, now: number): Step | undefined {
  const { name, namespace, annotations } = made.metadata;
  const text = `${made.kind} ${namespace}/${name} of Velero`;
  if (annotations?.[MADE_FOR] !== object.metadata.uid) {
    return { type: "Failed", reason: "NameTaken", message: `${text} belongs to something else. Delete it.` };
  }
  const { phase = "New", failureReason, validationErrors = [], errors = 0 } = made.status ?? {};
  if (phase === "Completed") return undefined;
  if (!/Failed/.test(phase)) {
    return { type: "Running", message: `${text} is ${phase}.`, wakeAt: now + PERIOD };
  }
  const why = [failureReason, ...validationErrors, ...(errors > 0 ? [`${errors} errors`] : [])];
  const said = why.filter((one) => one !== undefined && one !== "").join("; ");
  return {
    type: "Failed",
    reason: "VeleroFailed",
    message: `${text} is ${phase}${said ? `: ${said}` : ""}. Its log says more.`,
  };
}

function targetUnsupported({ applicationRef, strategy }: RestoreWork<Velero>): Step {
  const { kind, name } = applicationRef;
  return {
    type: "Failed",
    reason: "TargetUnsupported",
    message: `The Velero ${strategy.metadata.name} cannot restore into ${kind} ${name}: its restoreTemplate does not name .Application, so Velero would restore the application that was backed up. Have the template use .Application, or create a RestoreJob without targetApplicationRef.`,
  };
}

function tooWide(
  field: "backupTemplate" | "restoreTemplate",
  namespace: string,
  { strategy, object }: BackupWork<Velero> | RestoreWork<Velero>,
): Step {
  return {
    type: "Failed",
    reason: "NamespaceForbidden",
    message: `The ${field} of the Velero ${strategy.metadata.name} names namespace ${namespace}, and jobs of namespace ${object.metadata.namespace} reach no other. Leave includedNamespaces and namespaceMapping out: the operator fills them in.`,
  };
}

function templateFailed(error: string, { metadata }: Velero): Step {
  return {
    type: "Failed",
    reason: "TemplateFailed",
    message: `${error}. Correct the Velero ${metadata.name} of ${STRATEGY_GROUP}.`,
  };
}
