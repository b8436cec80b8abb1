import type { Listed } from "../../core/view/api_view.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { keptSentences } from "./config_sentences.ts";
import type { RetentionPreview } from "./contract.ts";
import { visibleOf } from "./volume_detail.ts";

/** What the retention of a BackupConfig keeps, and would delete now. */
export async function retentionPreview(call: Call, plan: ObjectName): Promise<RetentionPreview> {
  const { client } = await call.cluster();
  const config = await client.get(backupConfigResource, plan, call);
  const view = (await call.views()).find(({ kinds }) =>
    kinds.some(({ resource }) => (resource as Resource) === backupConfigResource),
  );
  const lists = (view?.kinds ?? []).map(
    async ({ resource }) => [resource as Resource, await visibleOf<KubeObject>(call, resource)] as const,
  );
  const objects = new Map<Resource, readonly KubeObject[]>(await Promise.all(lists));
  // What was just written is in no list yet.
  objects.set(backupConfigResource, [config]);
  const of = ((resource: Resource) => objects.get(resource) ?? []) as Listed["of"];
  const shown = view?.retention?.({ of, claims: [] }, plan, call.clock.now());
  if (!shown)
    throw new CommandProblem(`nothing is known of the retention of ${plan.name}`, { code: EXIT.notFound });
  return {
    rules: keptSentences(config.spec.retention),
    ...(shown.paused ? { paused: shown.paused } : {}),
    kept: shown.kept.map(({ backup, at, because }) => ({ backup, at: timestamp(at), because })),
    deleted: shown.deleted.map(({ backup, at }) => ({ backup, at: timestamp(at) })),
  };
}
