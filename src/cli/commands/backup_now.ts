import { durationText } from "../../core/view/times_text.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { objectName } from "../../lib/names.ts";
import { filesText } from "../files_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { failureOf } from "../frame/failure_of.ts";
import { follow } from "../frame/follow.ts";
import { printed } from "../frame/printed.ts";
import { misuse } from "../frame/problem.ts";
import { refuseBadName } from "../frame/refuse_bad_name.ts";
import { namespaceOf } from "../frame/scope.ts";
import { showProgress } from "../frame/show_progress.ts";
import { stamp } from "../frame/stamp.ts";

/** Makes a Backup of a recipe, and follows it to its end. */
export async function backupNow(call: Call): Promise<ExitCode> {
  const { given, signal, clock, out, progress } = call;
  refuseBadName("name", given.text("name"));
  const cluster = await call.cluster();
  const { client } = cluster;
  const namespace = namespaceOf(call, cluster);
  const config = given.word(0);
  const tags = tagsOf(given.texts("tag"));
  await client.get(backupConfigResource, { namespace, name: config }, { signal });
  const name = given.text("name") ?? objectName(config, stamp(call));
  const spec = { configRef: { name: config }, ...(Object.keys(tags).length > 0 ? { tags } : {}) };
  const onWarning = (text: string) => progress.line(`warning: ${text}`);
  const made = await client.create(
    backupResource,
    { metadata: { namespace, name }, spec },
    { signal, onWarning },
  );
  if (given.flag("no-wait")) {
    if (!(await printed(call, made))) out(`backup/${name} is made`);
    return EXIT.done;
  }
  progress.line(`backup/${name} is made`);
  const show = showProgress<Backup>(call, ({ status }) => status?.progress);
  const ended = await follow(
    backupResource,
    { namespace, name },
    {
      client,
      clock,
      signal,
      look: (backup) => {
        show(backup);
        return ["Succeeded", "Failed"].includes(backup.status?.phase ?? "");
      },
    },
  );
  if (ended.status?.phase === "Failed") throw failureOf(ended);
  if (!(await printed(call, ended))) for (const line of outcomeLines(ended)) out(line);
  return EXIT.done;
}

/** What came of a Backup that succeeded, and what it does not hold. */
export function outcomeLines({ metadata, status }: Backup): readonly string[] {
  const { stats = {}, timing, snapshots = [], losses = [] } = status ?? {};
  const unchanged = snapshots.length > 0 && snapshots.every((snapshot) => snapshot.unchanged);
  const parts = [
    ...(stats.sizeBytes === undefined ? [] : [bytesText(stats.sizeBytes)]),
    ...(stats.files === undefined ? [] : [filesText(stats.files)]),
    ...(stats.bytesNew === undefined ? [] : [`${bytesText(stats.bytesNew)} new`]),
    ...(timing?.durationSeconds === undefined ? [] : [`in ${durationText(timing.durationSeconds * 1000)}`]),
  ];
  const what = unchanged ? "nothing had changed since the last backup" : parts.join(", ");
  return [
    `backup/${metadata.name} succeeded${what ? `: ${what}` : ""}`,
    ...snapshots.map(({ pvc, kopiaSnapshotID, incomplete }) => {
      const part = incomplete ? ` (incomplete: ${incomplete})` : "";
      return `  ${pvc ?? "snapshot"} is snapshot ${kopiaSnapshotID}${part}`;
    }),
    ...(stats.filesFailed ? [`  not kept: ${filesText(stats.filesFailed)} that could not be read`] : []),
    ...losses.map(({ kind, count, reason }) => `  not kept: ${count} × ${kind}: ${reason}`),
  ];
}

function tagsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value = ""] = /^([^=]+)=(.*)$/.exec(text) ?? [];
      if (!name) throw misuse(`--tag is ${JSON.stringify(text)}`, "Write it as name=value.");
      return [name, value];
    }),
  );
}
