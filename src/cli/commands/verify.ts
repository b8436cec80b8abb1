import { namedText } from "../../core/view/shown_object.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { countText } from "../count_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { referenceOf } from "../frame/kinds.ts";
import { printed } from "../frame/printed.ts";
import { CommandProblem, misuse } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { asked, maintainerOf } from "./maintenance_run.ts";

/** Checks a repository, or reads one Backup, and says what was looked at and what was found. */
export async function verify(call: Call): Promise<ExitCode> {
  const kinds = ["repository", "clusterrepository", "maintenance", "backup"];
  const { resource, name } = referenceOf(call.given.word(0), { kinds, usual: "repository" });
  const percent = percentOf(call.given.text("data-percent"));
  if (resource.kind !== backupResource.kind) return verifyRepository(call, percent);
  if (percent !== undefined)
    throw misuse("--data-percent is for repositories", "A Backup is always read as a whole: leave it out.");
  return verifyBackup(call, name);
}

/** Reads the option. Throws a CommandProblem. */
export function percentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw misuse(
    `--data-percent ${text} is no percentage`,
    "Give a whole number from 0 to 100, such as --data-percent 10.",
  );
}

async function verifyRepository(call: Call, percent: number | undefined): Promise<ExitCode> {
  const run = await asked(call, percent === undefined ? "check" : `check-${percent}`);
  if (!run) return EXIT.done;
  const { before, ended } = run;
  const { failure, lastCheck } = ended.status ?? {};
  if (failure) throw failureOf(ended);
  if (lastCheck === undefined || lastCheck.at === before.status?.lastCheck?.at) throw notChecked(ended);
  if (!lastCheck.healthy) throw damage(ended);
  if (!(await printed(call, ended))) for (const line of soundLines(lastCheck)) call.out(line);
  return EXIT.done;
}

/** What a check that found nothing means, and what it does not. */
export function soundLines({ at, dataPercent = 0 }: Pick<Check, "at" | "dataPercent">): readonly string[] {
  if (dataPercent === 100) return [`the repository is sound: the check of ${at} read all stored data`];
  const read = dataPercent === 0 ? "none" : `${dataPercent}%`;
  return [
    `the structure of the repository is sound: the check of ${at} found every pack and folder, and read ${read} of the stored data`,
    "read more with --data-percent, up to 100; or read one Backup with: holdfast verify backup/<name>",
  ];
}

async function verifyBackup(call: Call, name: string): Promise<ExitCode> {
  const cluster = await call.cluster();
  const namespace = namespaceOf(call, cluster);
  const backup = await cluster.client.get(backupResource, { namespace, name }, { signal: call.signal });
  const { resolved, snapshots = [] } = backup.status ?? {};
  const { repository } = resolved ?? {};
  if (!repository || snapshots.length === 0) {
    throw new CommandProblem(`Backup ${name} holds no snapshot`, {
      fix: `holdfast explain backup/${name} says how it stands.`,
      code: EXIT.usage,
    });
  }
  const ofCluster = repository.kind === "ClusterRepository";
  const maintainer = await maintainerOf(
    call,
    ofCluster ? clusterRepositoryResource : repositoryResource,
    ofCluster
      ? { name: repository.name }
      : { namespace: repository.namespace ?? namespace, name: repository.name },
  );
  for (const { kopiaSnapshotID: id, pvc } of snapshots) {
    const run = await asked(call, `snapshot-${id}`, maintainer);
    if (!run) return EXIT.done;
    const { failure, lastVerification: seen } = run.ended.status ?? {};
    if (failure) throw failureOf(run.ended);
    if (seen?.snapshotID !== id || seen.at === run.before.status?.lastVerification?.at)
      throw notChecked(run.ended);
    if (!seen.healthy) throw damage(run.ended);
    const files = seen.files === undefined ? "all of its files" : countText(seen.files, "file");
    call.out(`backup/${name}${pvc ? ` of ${pvc}` : ""} can be read: ${files} of snapshot ${id}`);
  }
  return EXIT.done;
}

type Check = NonNullable<NonNullable<Maintenance["status"]>["lastCheck"]>;

function notChecked(maintenance: Maintenance): CommandProblem {
  return new CommandProblem("the repository was not checked", {
    why: "The request was answered without a check: it was cancelled, or the operator is older than this program.",
    fix: `holdfast explain ${namedText(maintenance)} says how it stands.`,
  });
}

type Missing = NonNullable<Check["missing"]>;

/** Who is hit: all that the status names. */
function hitText({ snapshots, hit = [] }: Missing): string {
  if (snapshots === undefined) return "the list of snapshots cannot be read";
  const named = hit.map(({ snapshotID, identity, backup, files, examples = [] }) => {
    const what = backup ? `Backup ${backup}` : `snapshot ${snapshotID} of ${identity}`;
    return `${what} (${[countText(files, "file"), ...examples].join(", ")})`;
  });
  const more = snapshots - named.length;
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])];
  return `snapshots that are not whole: ${all.join("; ") || "none"}`;
}

/** What is told of a damaged repository: everything that the check found. */
export function damage({ status }: Maintenance): CommandProblem {
  const { problems = [], missing } = status?.lastCheck ?? {};
  const found = [...problems, ...(missing ? [hitText(missing)] : [])];
  return new CommandProblem("the repository is damaged", {
    why: found.join("; ") || "the check gives no details",
    fix: "Keep the storage as it is, and restore damaged objects from a copy of the repository. Nothing is cleaned up before a check finds no damage.",
  });
}
