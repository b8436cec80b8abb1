import { type CleanUp, cleanUp, patientCleanUp } from "../../../core/volumes/staging/clean_up.ts";
import { groupDecision } from "../../../core/volumes/staging/decide_group.ts";
import { observeStaging } from "../../../core/volumes/staging/observe_staging.ts";
import { stagedOf } from "../../../core/volumes/staging/staged_of.ts";
import { isStillToCome } from "../../../core/work/retry.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { edition } from "../editions.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Copies } from "./copies.ts";
import type { Frozen } from "./frozen.ts";
import { isWaiting, memoryOf, trying } from "./staging_memory.ts";
import { type CaptureHolds, stagingRequest } from "./staging_request.ts";

export interface CopiesView {
  readonly backup: Backup;
  readonly frozen: Frozen;
  /** Of the run that reads them. */
  readonly record: RunRecord;
  /** The run may begin, as far as others are concerned: before, nothing is captured. */
  readonly wanted: boolean;
  /** Default: none. */
  readonly holds?: CaptureHolds;
}

/** Looks at what is staged for a Backup; undefined while nobody needs to know. */
export async function observeCopies(
  ports: Pick<KopiurPorts, "client" | "clock">,
  { backup, frozen, record, wanted, holds }: CopiesView,
  signal: AbortSignal,
): Promise<Copies | undefined> {
  const now = ports.clock.now();
  const memory = memoryOf(backup.status);
  if (record.outcome) {
    return memory && { phase: "Over", cleaning: await observeCleaning(ports, backup, frozen, signal) };
  }
  if (memory && isWaiting(memory, edition(backup), now)) {
    return { phase: "GivenUp", memory, cleaning: await observeCleaning(ports, backup, frozen, signal) };
  }
  if (!wanted || !needsJob(record, now)) return undefined;
  const tried = trying(memory, edition(backup), now);
  const request = stagingRequest(backup, frozen, Date.parse(tried.since ?? ""), holds);
  const seen = await observeStaging(ports.client, request, { signal });
  return { phase: "Staging", memory: tried, decision: groupDecision({ ...seen, now: ports.clock.now() }) };
}

/** What removes everything that is staged for a Backup. */
export async function observeCleaning(
  { client, clock }: Pick<KopiurPorts, "client" | "clock">,
  backup: Backup,
  frozen: Frozen,
  signal: AbortSignal,
): Promise<CleanUp> {
  const { since } = memoryOf(backup.status) ?? {};
  const request = stagingRequest(backup, frozen, since === undefined ? undefined : Date.parse(since));
  if (request.method === "Direct") return { intents: [], done: true, unseen: [] };
  const { sources, group } = await observeStaging(client, request, { signal });
  return patientCleanUp(cleanUp(stagedOf(request.owner, sources, group)), request.deadline, clock.now());
}

/** The next Job would be one that reads the volumes. Once there is one, it alone matters. */
export function needsJob({ step, job, notBefore }: RunRecord, now: number): boolean {
  return step === "Work" && job === undefined && !isStillToCome(notBefore, now);
}
