import { groupDecision } from "../decide_group.ts";
import type { ObservedSource, SnapshotOffer } from "../observed_staging.ts";
import type { StagingDecision } from "../staging_decision.ts";
import type { StagingRequest } from "../staging_request.ts";
import { group, NOW, observed, offer, request } from "./staging_samples.ts";

/** What differs from the sample: a claim that can be read, of which nothing is staged yet. */
export interface Case {
  readonly request?: Partial<StagingRequest>;
  readonly seen?: Partial<ObservedSource>;
  readonly offer?: Partial<SnapshotOffer>;
  readonly now?: number;
}

export function decide(given: Case): StagingDecision {
  const { source, ...wanted } = request(given.request);
  return groupDecision({
    request: { ...wanted, sources: [source], groupBy: "VolumeGroupSnapshot" },
    sources: [observed({ source, ...given.seen })],
    group: group(),
    offer: { ...offer, ...given.offer },
    now: given.now ?? NOW,
  });
}

/** What the decision makes first. */
export function draftOf(given: Case) {
  const [intent] = decide(given).intents;
  if (intent?.type !== "CreateSnapshot" && intent?.type !== "CreateClaim") throw new Error("nothing is made");
  return intent.draft;
}

/** The moment at which the sample is given up. */
export const LATE = NOW + 600_000;
export const gone = { deletionTimestamp: "2026-01-01T00:00:00Z" };
