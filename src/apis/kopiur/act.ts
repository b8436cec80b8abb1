import { deletionHasFailed, orphans } from "../../core/backup/delete_task.ts";
import { act as actShared, type OwnActs, type Target } from "../../core/reconcile/act.ts";
import { noteKept } from "../../core/repository/kept_snapshots.ts";
import type { BackupStatus } from "../../kinds/kopiur/generated/backup.ts";
import type { Outcome } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { unreachable } from "../../lib/result.ts";
import { actChildren } from "./children/act_children.ts";
import type { Decision, OwnIntent } from "./decision.ts";
import { makeDerivedConfigs } from "./multi_namespace/make_derived_configs.ts";
import type { KopiurPorts } from "./ports.ts";
import { resourceOfRepository } from "./references.ts";
import { withSizeTexts } from "./size_texts.ts";

type Kept = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** Carries a decision about an object of this API out, and counts what became of snapshots. */
export async function act<T extends Kept>(
  ports: KopiurPorts,
  target: Target<T>,
  decision: Decision<object>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { object } = target;
  const { namespace = "" } = object.metadata;
  const own: OwnActs<T, OwnIntent> = {
    act: (seen, intent) => carryOut(ports, seen, intent, signal),
    shown: withSizeTexts,
    wrote: (status) => {
      if (deletionHasFailed(object.status, status)) ports.tally?.snapshotDeletionFailed(namespace);
    },
  };
  const outcome = await actShared<T, OwnIntent>(ports, target, decision, signal, own);
  const { snapshots = [], backupRef } = (object.status ?? {}) as BackupStatus;
  // Where another Backup did the work, that one stands for its snapshots.
  if (orphans(decision) && snapshots.length > 0 && !backupRef) {
    ports.tally?.snapshotsOrphaned(namespace, snapshots.length);
  }
  return outcome;
}

async function carryOut<T extends Kept>(
  { client }: KopiurPorts,
  target: Target<T>,
  intent: OwnIntent,
  signal: AbortSignal,
): Promise<T> {
  const { object } = target;
  switch (intent.type) {
    case "Children":
      return actChildren(client, target, intent.intents, { signal });
    case "DerivedConfigs":
      await makeDerivedConfigs(client, intent, { signal });
      return object;
    case "NoteKept":
      await noteKept(client, resourceOfRepository(intent.kept.repository), intent.kept, { signal });
      return object;
    default:
      return unreachable(intent);
  }
}
