import { podsWith } from "../../core/volumes/pods_with.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { isNotFound } from "../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { objectName } from "../../lib/names.ts";
import type { Progress } from "../../wire/progress.ts";
import { bytesText } from "../bytes_text.ts";
import { filesText } from "../files_text.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import { referenceOf } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { misuse } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { showProgress } from "../frame/show_progress.ts";
import { stamp } from "../frame/stamp.ts";
import { durationText } from "../frame/times_text.ts";
import { identityIn } from "../restore/identity_in.ts";
import { likelyBackup, restoredClaim } from "../restore/likely_backup.ts";
import { recipeNamed } from "../restore/recipe_backups.ts";
import { refuseInUse } from "../restore/refuse_in_use.ts";
import { refuseUnused } from "../restore/refuse_unused.ts";
import { restoreDraft } from "../restore/restore_draft.ts";
import { planLines } from "../restore/restore_plan.ts";

/** Shows what would be restored where, asks, and does it. */
export async function restore(call: Call): Promise<ExitCode> {
  const { given, signal, out, progress, clock } = call;
  refuseUnused(given);
  const cluster = await call.cluster();
  const { client } = cluster;
  const namespace = namespaceOf(call, cluster);
  await refuseTaken(call, cluster, namespace);
  const backup = await chosenBackup(call, cluster, namespace);
  const base = given.text("into") ?? given.text("to") ?? "claims";
  const name = given.text("name") ?? objectName(base, stamp(call));
  const draft = restoreDraft(given, { namespace, name, capacity: await sizeOf(call, cluster, backup) });
  const onWarning = (text: string) => progress.line(`warning: ${text}`);
  // Whatever the cluster would refuse is refused before a person is asked.
  const planned = await client.create(restoreResource, draft, { dryRun: true, signal, onWarning });
  if (given.flag("dry-run") && (await printed(call, [manifest(planned)]))) return EXIT.done;
  const plan = planLines(await factsOf(call, cluster, planned, backup));
  if (given.flag("dry-run")) {
    for (const line of plan) out(line);
    return EXIT.done;
  }
  for (const line of plan) progress.line(line);
  await refuseBusy(call, cluster, namespace);
  await confirmed(call, "Add --yes when the plan is right, or --dry-run to see it alone.");
  const made = await client.create(restoreResource, draft, { signal });
  progress.line(`restore/${name} is made`);
  if (given.flag("no-wait") || !made.spec.target) {
    if (!(await printed(call, [made]))) out(`restore/${name} is made`);
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
  if (!(await printed(call, [ended]))) for (const line of outcomeLines(ended)) out(line);
  return EXIT.done;
}

/** A new claim cannot have the name of one that is there: such a Restore would wait until that is gone. */
async function refuseTaken(call: Call, cluster: Cluster, namespace: string): Promise<void> {
  const name = call.given.text("to");
  if (name === undefined) return;
  const taken = await found(call, cluster, PersistentVolumeClaims, { namespace, name });
  if (!taken) return;
  const fix = `Choose another name, or restore into it with --into ${name}.`;
  throw misuse(`the claim ${namespace}/${name} is there already, and --to makes a new one`, fix);
}

/** Nobody is left waiting for a claim that does not get free by itself. */
async function refuseBusy({ given, signal }: Call, { client }: Cluster, namespace: string): Promise<void> {
  const name = given.text("into");
  if (name === undefined || given.flag("no-wait")) return;
  await refuseInUse(client, { claim: { namespace, name }, mayScale: given.flag("scale-down"), signal });
}

/** What came back, and what did not. */
export function outcomeLines({ metadata, status }: Restore): readonly string[] {
  const { progress, timing, losses = [], resolved } = status ?? {};
  if (resolved?.noSnapshot)
    return [`restore/${metadata.name} is done: the repository holds no snapshot, and the volume is empty`];
  const parts = [
    ...(progress?.bytesRestored === undefined ? [] : [bytesText(progress.bytesRestored)]),
    ...(progress?.filesRestored === undefined ? [] : [filesText(progress.filesRestored)]),
    ...(timing?.durationSeconds === undefined ? [] : [`in ${durationText(timing.durationSeconds * 1000)}`]),
  ];
  return [
    `restore/${metadata.name} is done${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`,
    ...losses.map(({ kind, count, reason }) => `  not brought back: ${count} × ${kind}: ${reason}`),
  ];
}

/** The Backup that is named, or the one that a recipe's choice is likely to fall on; none for an identity. */
async function chosenBackup(call: Call, cluster: Cluster, own: string): Promise<Backup | undefined> {
  const { given, signal } = call;
  const text = given.word(0);
  if (identityIn(text)) return undefined;
  const namespace = given.text("from-namespace") ?? own;
  const { resource, name } = referenceOf(text, { kinds: ["backup", "config"], usual: "backup" });
  if (resource.kind === backupResource.kind)
    return cluster.client.get(backupResource, { namespace, name }, { signal });
  const { recipe, backups } = await recipeNamed(cluster, { namespace, name }, signal);
  const offset = Number(given.text("offset") ?? 0);
  const target = given.text("into") ?? given.text("to");
  const claim = restoredClaim(recipe, { pvc: given.text("pvc"), target });
  return likelyBackup(backups, recipe, { asOf: given.text("as-of"), offset, claim });
}

/** As large as the claim that the data is of, where that is still there. */
async function sizeOf(call: Call, cluster: Cluster, backup: Backup | undefined): Promise<string | undefined> {
  const wanted = call.given.text("pvc");
  const claims = (backup?.status?.snapshots ?? []).flatMap(({ pvc }) => pvc ?? []);
  const key = claims.find((claim) => claim.split("/")[1] === wanted) ?? claims[0];
  const [namespace, name] = key?.split("/") ?? [];
  if (!namespace || !name) return undefined;
  const claim = await found(call, cluster, PersistentVolumeClaims, { namespace, name });
  return claim?.spec?.resources?.requests?.storage;
}

async function factsOf(call: Call, cluster: Cluster, planned: Restore, backup: Backup | undefined) {
  const { namespace = "" } = planned.metadata;
  const name = planned.spec.target?.pvcRef?.name;
  const inPlace = name === undefined ? undefined : { namespace, name };
  return {
    restore: planned,
    backup,
    claim: inPlace && (await found(call, cluster, PersistentVolumeClaims, inPlace)),
    users: inPlace
      ? (await podsWith(cluster.client, inPlace, call)).map(({ metadata }) => metadata.name)
      : [],
    now: call.clock.now(),
  };
}

async function found<T extends KubeObject>(
  { signal }: Call,
  { client }: Cluster,
  resource: Resource<T>,
  name: ObjectName,
): Promise<T | undefined> {
  return client.get(resource, name, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
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
