import { keyOf } from "../../../kube/object.ts";
import { cleanUp } from "./clean_up.ts";
import { concluded } from "./conclusion.ts";
import { stagingStep } from "./decide_staging.ts";
import { groupSteps } from "./group_steps.ts";
import type { ObservedGroup, ObservedSource, SnapshotOffer } from "./observed_staging.ts";
import { captureObjection } from "./source_rules.ts";
import { stagedOf } from "./staged_of.ts";
import {
  refused,
  type StagedVolume,
  type StagingDecision,
  type StagingState,
  type WaitingStaging,
} from "./staging_decision.ts";
import { type GroupRequest, requestOf } from "./staging_request.ts";
import { type StagingStep, step, unlessObjected } from "./staging_step.ts";
import { allMadeTemporary } from "./temporary.ts";

export interface GroupQuestion {
  readonly request: GroupRequest;
  /** One for each of the request's sources. */
  readonly sources: readonly ObservedSource[];
  readonly offer: SnapshotOffer;
  readonly group: ObservedGroup;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How all the claims of a backup become something that one mover can mount. */
export function groupDecision(question: GroupQuestion): StagingDecision {
  const { request, sources, group, now } = question;
  const staged = stagedOf(request.owner, sources, group);
  return concluded(stepOf(question), {
    deadline: request.deadline,
    now,
    always: allMadeTemporary(staged),
    cleanUp: cleanUp(staged).intents,
  });
}

/** Whether these are captured at one moment. Of volumes that are read while they are in use there is no such. */
export function isGrouped({
  sources,
  groupBy,
  method,
}: Pick<GroupRequest, "sources" | "groupBy" | "method">): boolean {
  return sources.length > 1 && groupBy === "VolumeGroupSnapshot" && method !== "Direct";
}

function stepOf({ request, sources, offer, group }: GroupQuestion): StagingStep {
  if (!isGrouped(request)) {
    return together(
      sources.map((observed) => stagingStep(requestOf(request, observed.source), observed, offer)),
    );
  }
  if (request.method === "Snapshot") {
    const [objection] = sources.flatMap((observed) => captureObjection(observed) ?? []);
    return unlessObjected(together(groupSteps(request, sources, group)), objection);
  }
  return step(
    refused(
      "structural",
      "GroupSnapshotUnsupported",
      "Clones of several volumes are made one after another, not at one moment. Use the copy method Snapshot, or set groupBy to None to accept that each has its own moment.",
    ),
  );
}

/** As far as the one that is farthest behind. */
function together(steps: readonly StagingStep[]): StagingStep {
  const states = steps.map(({ state }) => state);
  const intents = steps.flatMap((one) => one.intents);
  const captured = states.every((state) => state.phase !== "Refused" && state.captured);
  const refusal = states.find(({ phase }) => phase === "Refused");
  if (refusal) return { state: refusal, intents: [] };
  const [wait] = states.filter((state) => state.phase === "Waiting").toSorted((a, b) => rank(a) - rank(b));
  if (wait) return { state: { ...wait, captured }, intents };
  const volumes = states.flatMap((state) => (state.phase === "Ready" ? state.volumes : []));
  return { state: apart(volumes) ?? { phase: "Ready", captured, volumes }, intents };
}

const STAGES = ["Source", "GroupSnapshot", "Snapshot", "Copy"];

/** What fails is told first, then what is farthest behind. */
function rank({ reason }: WaitingStaging): number {
  return reason.endsWith("Failing") ? -1 : STAGES.findIndex((stage) => reason.startsWith(stage));
}

/** One mover cannot be on two nodes. */
function apart(volumes: readonly StagedVolume[]): StagingState | undefined {
  const placed = volumes.filter(({ placement }) => placement?.node !== undefined);
  const [first] = placed;
  const other = placed.find(({ placement }) => placement?.node !== first?.placement?.node);
  if (!first || !other) return undefined;
  const where = ({ source, placement }: StagedVolume) => `${keyOf(source)} on node ${placement?.node}`;
  return refused(
    "transient",
    "SourcesApart",
    `The volumes are in use on different nodes (${where(first)}, ${where(other)}), and one mover cannot read both. Use the copy method Snapshot or Clone, or back them up one by one.`,
  );
}
