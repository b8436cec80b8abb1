import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import type { ObjectName } from "../../kube/object.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { retentionOf } from "../retention_of.ts";
import { keptSentences } from "./config_sentences.ts";
import type { RetentionPreview } from "./contract.ts";

/** What the retention of a BackupConfig keeps, and would delete now. */
export async function retentionPreview(call: Call, plan: ObjectName): Promise<RetentionPreview> {
  const { client } = await call.cluster();
  const config = await client.get(backupConfigResource, plan, call);
  const shown = await retentionOf(call, config);
  if (!shown)
    throw new CommandProblem(`nothing is known of the retention of ${plan.name}`, { code: EXIT.notFound });
  return {
    rules: keptSentences(config.spec.retention),
    ...(shown.paused ? { paused: shown.paused } : {}),
    kept: shown.kept.map(({ backup, at, because }) => ({ backup, at: timestamp(at), because })),
    deleted: shown.deleted.map(({ backup, at }) => ({ backup, at: timestamp(at) })),
  };
}
