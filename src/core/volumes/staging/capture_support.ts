import { PersistentVolumes } from "../../../kube/builtin.ts";
import type { CallOptions } from "../../../kube/client.ts";
import type { Claim } from "../claim_request.ts";
import { isGrouped } from "./decide_group.ts";
import { glance } from "./look.ts";
import type { StagingReader } from "./observe_source.ts";
import { snapshotOffer } from "./observe_staging.ts";
import type { ObservedSource, SnapshotOffer } from "./observed_staging.ts";
import { snapshotCapability } from "./snapshot_step.ts";
import { lastingObjection } from "./source_rules.ts";
import type { RefusedStaging } from "./staging_decision.ts";
import type { GroupRequest, SourceName } from "./staging_request.ts";

/** How volumes would be captured, before anybody asks for it. */
export interface CaptureQuestion
  extends Pick<GroupRequest, "method" | "groupBy" | "sources" | "snapshotClassName"> {
  readonly claimOf: (source: SourceName) => Claim | undefined;
}

type Seen = Pick<ObservedSource, "claim" | "volume">;

/** Why these volumes cannot be copied in this way, whenever that is tried; undefined where nothing is known of that. */
export async function captureSupport(
  reader: StagingReader,
  request: CaptureQuestion,
  call: CallOptions,
): Promise<RefusedStaging | undefined> {
  if (request.method === "Direct") return undefined;
  const seen = await Promise.all(
    request.sources.map((source) => seenOf(reader, request.claimOf(source), call)),
  );
  const single = request.method === "Snapshot" && !isGrouped(request);
  return captureProblem(request, seen, single ? await snapshotOffer(reader, call) : undefined);
}

async function seenOf(reader: StagingReader, claim: Claim | undefined, call: CallOptions): Promise<Seen> {
  const name = claim?.spec?.volumeName;
  return { claim, volume: name ? await glance(reader, PersistentVolumes, { name }, call) : undefined };
}

/** The first that is wrong. `offer`: absent where no snapshot of a single volume is taken. */
export function captureProblem(
  { method, snapshotClassName: wanted }: Pick<CaptureQuestion, "method" | "snapshotClassName">,
  sources: readonly Seen[],
  offer: SnapshotOffer | undefined,
): RefusedStaging | undefined {
  for (const source of sources) {
    const objection = lastingObjection({ method }, source);
    if (objection) return objection;
    const capable = offer && snapshotCapability(source, offer, wanted);
    if (capable && !capable.ok) return capable.error;
  }
  return undefined;
}
