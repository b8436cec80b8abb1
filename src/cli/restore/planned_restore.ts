import { podsWith } from "../../core/volumes/pods_with.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { ignoreGone, isForbidden } from "../../kube/api_error.ts";
import { PersistentVolumeClaims, StorageClasses } from "../../kube/builtin.ts";
import { type Draft, keyOf, type ObjectName } from "../../kube/object.ts";
import { didYouMean } from "../../lib/did_you_mean.ts";
import { objectName } from "../../lib/names.ts";
import { clusterText } from "../frame/cluster_text.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { refuseBadName } from "../frame/refuse_bad_name.ts";
import { namespaceOf } from "../frame/scope.ts";
import { stamp } from "../frame/stamp.ts";
import { type ChosenSource, chosenSource } from "./chosen_source.ts";
import { refuseRepository } from "./refuse_repository.ts";
import { refuseUnused } from "./refuse_unused.ts";
import { type ClaimLike, restoreDraft } from "./restore_draft.ts";
import type { PlanFacts } from "./restore_plan.ts";
import { type SafetyPlan, safetyPlan } from "./safety_backup.ts";
import { type TargetBackups, targetBackups } from "./target_backups.ts";

/** A restore that nothing speaks against, before anybody is asked. */
export interface PlannedRestore {
  readonly namespace: string;
  readonly name: string;
  readonly draft: Draft<Restore>;
  readonly facts: PlanFacts;
}

/** What a command line asks for, held against the cluster. Throws a CommandProblem where it cannot be so. */
export async function plannedRestore(call: Call): Promise<PlannedRestore> {
  const { given, signal, progress, clock } = call;
  refuseUnused(given);
  for (const option of ["to", "into", "name"]) refuseBadName(option, given.text(option));
  const cluster = await call.cluster();
  const { client } = cluster;
  const namespace = namespaceOf(call, cluster);
  await refuseTaken(call, cluster, namespace);
  const into = given.text("into");
  if (into !== undefined) {
    await refuseRepository(client, await call.views(), { namespace, name: into }, signal);
    await refuseMissing(call, cluster, { namespace, name: into });
  }
  const source = await chosenSource(call, cluster, namespace);
  const base = into ?? given.text("to") ?? "claims";
  const name = given.text("name") ?? objectName(base, stamp(call));
  const draft = restoreDraft(given, {
    namespace,
    name,
    like: await likeOf(call, cluster, source),
    now: clock.now(),
  });
  const onWarning = (text: string) => progress.line(`warning: ${text}`);
  // Whatever the cluster would refuse is refused before a person is asked.
  const planned = await client.create(restoreResource, draft, { dryRun: true, signal, onWarning });
  const safety = await safetyOf(call, cluster, planned);
  return {
    namespace,
    name,
    draft,
    facts: { ...(await factsOf(call, cluster, planned, source)), safety, cluster: clusterText(cluster) },
  };
}

/**
 * A new claim cannot have the name of one that is there: such a Restore would wait until that is gone. It says so itself
 * to whoever may not look at claims.
 */
async function refuseTaken(call: Call, cluster: Cluster, namespace: string): Promise<void> {
  const name = call.given.text("to");
  if (name === undefined) return;
  const taken = await seenClaim(call, cluster, { namespace, name });
  if (!taken || taken === "unseen") return;
  const fix = `Choose another name, or restore into it with --into ${name}.`;
  throw misuse(`the claim ${namespace}/${name} is there already, and --to makes a new one`, fix);
}

/**
 * A Restore into a claim that is not there would wait for it, and overwrite whatever gets that name. Whoever follows
 * nothing may want just that.
 */
async function refuseMissing(call: Call, cluster: Cluster, name: ObjectName): Promise<void> {
  const { given } = call;
  if (given.flag("no-wait") || given.flag("dry-run") || (await seenClaim(call, cluster, name))) return;
  const { namespace = "" } = name;
  const { items } = await cluster.client.list(PersistentVolumeClaims, { namespace, signal: call.signal });
  const meant = didYouMean(
    name.name,
    items.map(({ metadata }) => metadata.name),
  );
  throw new CommandProblem(`there is no claim ${keyOf(name)}`, {
    fix: `${meant ? `Did you mean --into ${meant}? ` : ""}A new claim is made with --to ${name.name}.`,
    code: EXIT.notFound,
  });
}

/** Whether a backup of the target is made first; undefined where nothing is overwritten. */
async function safetyOf(
  { given, signal }: Call,
  { client }: Cluster,
  { metadata, spec }: Restore,
): Promise<SafetyPlan | undefined> {
  const name = spec.target?.pvcRef?.name;
  if (name === undefined) return undefined;
  const { namespace = "" } = metadata;
  const { items } = await client.list(backupConfigResource, { namespace, signal, omitManagedFields: true });
  return safetyPlan(given, items, keyOf({ namespace, name }));
}

/**
 * A new claim is like the one that its data is of, where that is still there and may be looked at; or like that was when
 * it was backed up. A class that is not there any more is left out.
 */
async function likeOf(
  call: Call,
  cluster: Cluster,
  { volume, backup }: ChosenSource,
): Promise<ClaimLike | undefined> {
  if (call.given.text("to") === undefined || call.given.text("capacity") !== undefined) return undefined;
  const [namespace, name] = volume?.pvc?.split("/") ?? [];
  if (!namespace || !name) return undefined;
  const claim = await seenClaim(call, cluster, { namespace, name });
  if (claim && claim !== "unseen") return { capacity: claim.spec?.resources?.requests?.storage };
  const { claim: recorded } = backup?.status?.resolved?.sources?.find(({ pvc }) => pvc === volume?.pvc) ?? {};
  const gone = recorded && (await missingClass(call, cluster, recorded.storageClassName));
  return gone === undefined ? recorded : { ...recorded, storageClassName: undefined };
}

async function factsOf(call: Call, cluster: Cluster, planned: Restore, source: ChosenSource) {
  const { namespace = "" } = planned.metadata;
  const name = planned.spec.target?.pvcRef?.name;
  const inPlace = name === undefined ? undefined : { namespace, name };
  return {
    restore: planned,
    ...source,
    claim: inPlace && (await seenClaim(call, cluster, inPlace)),
    ...(inPlace ? { target: await backupsOfTarget(call, cluster, inPlace) } : {}),
    noClass: await missingClass(call, cluster, planned.spec.target?.pvc?.storageClassName),
    users: inPlace
      ? (await podsWith(cluster.client, inPlace, call)).map(({ metadata }) => metadata.name)
      : [],
    now: call.clock.now(),
  };
}

/** Undefined for whoever may not look at Backups. */
async function backupsOfTarget(
  { signal }: Call,
  { client }: Cluster,
  claim: { readonly namespace: string; readonly name: string },
): Promise<TargetBackups | undefined> {
  const { namespace } = claim;
  try {
    const { items } = await client.list(backupResource, { namespace, signal, omitManagedFields: true });
    return targetBackups(items, keyOf(claim));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** The storage class that a new claim names and that is not there; whoever may not look is not told. */
async function missingClass(
  { signal }: Call,
  { client }: Cluster,
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const found = await client
    .get(StorageClasses, { name }, { signal })
    .catch((error: unknown) => (isForbidden(error) ? ("unseen" as const) : ignoreGone(error)));
  return found === undefined ? name : undefined;
}

/** Undefined where it is not there. */
async function seenClaim({ signal }: Call, { client }: Cluster, name: ObjectName) {
  return client
    .get(PersistentVolumeClaims, name, { signal })
    .catch((error: unknown) => (isForbidden(error) ? ("unseen" as const) : ignoreGone(error)));
}
