import { podsWith } from "../../core/volumes/pods_with.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { ignoreGone, isForbidden } from "../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { ObjectName } from "../../kube/object.ts";
import { objectName } from "../../lib/names.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
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
import { refuseUnused } from "../restore/refuse_unused.ts";
import { restoreDraft } from "../restore/restore_draft.ts";
import { doubtOf, outcomeLines } from "../restore/restore_outcome.ts";
import { planLines } from "../restore/restore_plan.ts";

/** Shows what would be restored where, asks, and does it. */
export async function restore(call: Call): Promise<ExitCode> {
  const { given, signal, out, progress, clock } = call;
  refuseUnused(given);
  const cluster = await call.cluster();
  const { client } = cluster;
  const namespace = namespaceOf(call, cluster);
  await refuseTaken(call, cluster, namespace);
  const source = await chosenSource(call, cluster, namespace);
  const base = given.text("into") ?? given.text("to") ?? "claims";
  const name = given.text("name") ?? objectName(base, stamp(call));
  const draft = restoreDraft(given, {
    namespace,
    name,
    capacity: await sizeOf(call, cluster, source),
  });
  const onWarning = (text: string) => progress.line(`warning: ${text}`);
  // Whatever the cluster would refuse is refused before a person is asked.
  const planned = await client.create(restoreResource, draft, { dryRun: true, signal, onWarning });
  if (given.flag("dry-run") && (await printed(call, manifest(planned)))) return EXIT.done;
  const plan = planLines(await factsOf(call, cluster, planned, source));
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

/** Nobody is left waiting for a claim that does not get free by itself. */
async function refuseBusy({ given, signal }: Call, { client }: Cluster, namespace: string): Promise<void> {
  const name = given.text("into");
  if (name === undefined || given.flag("no-wait")) return;
  await refuseInUse(client, { claim: { namespace, name }, mayScale: given.flag("scale-down"), signal });
}

/** A new claim is as large as the one that the data is of, where one is known, is still there, and may be looked at. */
async function sizeOf(call: Call, cluster: Cluster, { volume }: ChosenSource): Promise<string | undefined> {
  if (call.given.text("to") === undefined || call.given.text("capacity") !== undefined) return undefined;
  const [namespace, name] = volume?.pvc?.split("/") ?? [];
  if (!namespace || !name) return undefined;
  const claim = await seenClaim(call, cluster, { namespace, name });
  return claim === "unseen" ? undefined : claim?.spec?.resources?.requests?.storage;
}

async function factsOf(call: Call, cluster: Cluster, planned: Restore, source: ChosenSource) {
  const { namespace = "" } = planned.metadata;
  const name = planned.spec.target?.pvcRef?.name;
  const inPlace = name === undefined ? undefined : { namespace, name };
  return {
    restore: planned,
    ...source,
    claim: inPlace && (await seenClaim(call, cluster, inPlace)),
    users: inPlace
      ? (await podsWith(cluster.client, inPlace, call)).map(({ metadata }) => metadata.name)
      : [],
    now: call.clock.now(),
  };
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
