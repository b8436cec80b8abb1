import { podsWith } from "../../core/volumes/pods_with.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { ignoreGone, isForbidden } from "../../kube/api_error.ts";
import { PersistentVolumeClaims, StorageClasses } from "../../kube/builtin.ts";
import { type Draft, keyOf, type ObjectName } from "../../kube/object.ts";
import { objectName } from "../../lib/names.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { confirmedByName } from "../frame/confirmed_by_name.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import { printed } from "../frame/printed.ts";
import { misuse } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { showProgress } from "../frame/show_progress.ts";
import { stamp } from "../frame/stamp.ts";
import { type ChosenSource, chosenSource } from "../restore/chosen_source.ts";
import { refuseInUse } from "../restore/refuse_in_use.ts";
import { refuseRepository } from "../restore/refuse_repository.ts";
import { refuseUnused } from "../restore/refuse_unused.ts";
import { type ClaimLike, refuseBadName, restoreDraft } from "../restore/restore_draft.ts";
import { doubtOf, outcomeLines } from "../restore/restore_outcome.ts";
import { doubtOfDeletion, planLines } from "../restore/restore_plan.ts";
import { makeSafetyBackup, type SafetyPlan, safetyPlan, withSafetyBackup } from "../restore/safety_backup.ts";
import { type TargetBackups, targetBackups } from "../restore/target_backups.ts";
import { undone } from "../restore/undone.ts";

/** Shows what would be restored where, asks, and does it. */
export async function restore(asked: Call): Promise<ExitCode> {
  const call = asked.given.flag("undo") ? await undoing(asked) : asked;
  const { given, signal, out, progress, clock } = call;
  if (given.words.length === 0)
    throw misuse(
      "what to restore must be said",
      "Name backup/<name> or config/<name>; or undo the last restore in place with --undo.",
    );
  refuseUnused(given);
  for (const option of ["to", "into", "name"]) refuseBadName(option, given.text(option));
  const cluster = await call.cluster();
  const { client } = cluster;
  const namespace = namespaceOf(call, cluster);
  await refuseTaken(call, cluster, namespace);
  const into = given.text("into");
  if (into !== undefined) await refuseRepository(client, { namespace, name: into }, signal);
  const source = await chosenSource(call, cluster, namespace);
  const base = given.text("into") ?? given.text("to") ?? "claims";
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
  if (given.flag("dry-run") && (await printed(call, manifest(planned)))) return EXIT.done;
  const safety = await safetyOf(call, cluster, planned);
  const facts = { ...(await factsOf(call, cluster, planned, source)), safety };
  const plan = planLines(facts);
  if (given.flag("dry-run")) {
    for (const line of plan) out(line);
    return EXIT.done;
  }
  for (const line of plan) progress.line(line);
  await refuseBusy(call, cluster, namespace);
  const deletion = doubtOfDeletion(facts);
  if (deletion !== undefined && into !== undefined)
    await confirmedByName(call, { option: "confirm-deletion", name: into, why: deletion });
  await confirmed(call, "Add --yes when the plan is right, or --dry-run to see it alone.");
  const sure = deletion === undefined ? draft : deleting(draft);
  const first =
    safety?.type === "Made"
      ? await makeSafetyBackup(call, cluster, { namespace, config: safety.config, restore: name })
      : undefined;
  const wanted = first === undefined ? sure : withSafetyBackup(sure, first);
  const made = await client.create(restoreResource, wanted, { signal });
  progress.line(`restore/${name} is made`);
  if (given.flag("no-wait") || !made.spec.target) {
    if (!(await printed(call, made))) out(`restore/${name} is made`);
    return EXIT.done;
  }
  const show = showProgress<Restore>(call, ({ status }) => progressOf(status?.progress));
  const ended = await follow(
    restoreResource,
    { namespace, name },
    {
      client,
      clock,
      signal,
      look: (now) => {
        show(now);
        return ["Completed", "Failed"].includes(now.status?.phase ?? "");
      },
    },
  );
  if (ended.status?.phase === "Failed") throw failureOf(ended);
  const doubt = doubtOf(ended);
  if (doubt) throw doubt;
  if (!(await printed(call, ended))) for (const line of outcomeLines(ended)) out(line);
  return EXIT.done;
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

/** The command that goes back to how a volume was before a restore. */
async function undoing(call: Call): Promise<Call> {
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const { items } = await cluster.client.list(restoreResource, { namespace, signal: call.signal });
  return { ...call, given: undone(call.given, items) };
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

/** The same, with its deletions confirmed. */
function deleting(draft: Draft<Restore>): Draft<Restore> {
  const options = { ...draft.spec.options, confirmDeletion: true };
  return { ...draft, spec: { ...draft.spec, options } };
}

/** Nobody is left waiting for a claim that does not get free by itself. */
async function refuseBusy({ given, signal }: Call, { client }: Cluster, namespace: string): Promise<void> {
  const name = given.text("into");
  if (name === undefined || given.flag("no-wait")) return;
  await refuseInUse(client, { claim: { namespace, name }, mayScale: given.flag("scale-down"), signal });
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

/** What a person would put into a file. */
function manifest({ apiVersion, kind, metadata, spec }: Restore): Restore {
  const { namespace, name } = metadata;
  return { apiVersion, kind, metadata: { namespace, name }, spec } as Restore;
}

function progressOf(progress: NonNullable<Restore["status"]>["progress"]): Progress | undefined {
  if (!progress) return undefined;
  const { bytesRestored = 0, filesRestored, bytesTotal, secondsRemaining } = progress;
  return {
    bytes: bytesRestored,
    ...(filesRestored === undefined ? {} : { files: filesRestored }),
    ...(bytesTotal === undefined ? {} : { estimatedBytes: bytesTotal }),
    ...(secondsRemaining === undefined ? {} : { secondsRemaining }),
  };
}
