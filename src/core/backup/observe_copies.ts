import type { EngineRoom } from "../reconcile/engine_room.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { type CleanUp, cleanUp, patientCleanUp } from "../volumes/staging/clean_up.ts";
import { groupDecision } from "../volumes/staging/decide_group.ts";
import { observeStaging } from "../volumes/staging/observe_staging.ts";
import { stagedOf } from "../volumes/staging/staged_of.ts";
import { isStillToCome } from "../work/retry.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { BackupRequest } from "./backup.ts";
import { type CaptureHolds, captureRequest } from "./capture_request.ts";
import type { Copies } from "./copies.ts";
import { isWaiting, memoryOf, trying } from "./staging_memory.ts";

export interface CopiesView {
  readonly backup: Pick<BackupRequest, "owner" | "plan">;
  /** Of the run that reads them. */
  readonly record: RunRecord;
  /** The run may begin, as far as others are concerned: before, nothing is captured. */
  readonly wanted: boolean;
  /** Default: none. */
  readonly holds?: CaptureHolds;
}

/** Looks at what is staged for a backup; undefined while nobody needs to know. */
export async function observeCopies(
  ports: Pick<EngineRoom, "client" | "clock">,
  { backup, record, wanted, holds }: CopiesView,
  signal: AbortSignal,
): Promise<Copies | undefined> {
  const now = ports.clock.now();
  const { owner, plan } = backup;
  const edition = specFingerprint(owner.object);
  const memory = memoryOf(owner.object.status);
  if (record.outcome) {
    return memory && { phase: "Over", cleaning: await observeCleaning(ports, backup, signal) };
  }
  if (memory && isWaiting(memory, edition, now)) {
    return { phase: "GivenUp", memory, cleaning: await observeCleaning(ports, backup, signal) };
  }
  if (!wanted || !needsJob(record, now)) return undefined;
  const tried = trying(memory, edition, now);
  const request = captureRequest(owner, plan, Date.parse(tried.since ?? ""), holds);
  const seen = await observeStaging(ports.client, request, { signal });
  return { phase: "Staging", memory: tried, decision: groupDecision({ ...seen, now: ports.clock.now() }) };
}

/** What removes everything that is staged for a backup. */
export async function observeCleaning(
  { client, clock }: Pick<EngineRoom, "client" | "clock">,
  { owner, plan }: Pick<BackupRequest, "owner" | "plan">,
  signal: AbortSignal,
): Promise<CleanUp> {
  const { since } = memoryOf(owner.object.status) ?? {};
  const request = captureRequest(owner, plan, since === undefined ? undefined : Date.parse(since));
  if (request.method === "Direct") return { intents: [], done: true, unseen: [] };
  const { sources, group } = await observeStaging(client, request, { signal });
  return patientCleanUp(cleanUp(stagedOf(request.owner, sources, group)), request.deadline, clock.now());
}

/** The next Job would be one that reads the volumes. Once there is one, it alone matters. */
export function needsJob({ step, job, notBefore }: RunRecord, now: number): boolean {
  return step === "Work" && job === undefined && !isStillToCome(notBefore, now);
}
