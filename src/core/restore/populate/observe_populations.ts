import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import type { Result } from "../../../lib/result.ts";
import type { Problem } from "../../reconcile/problem.ts";
import { observeForsaken, observePopulation } from "../../volumes/populator/observe_population.ts";
import type { ObservedPopulation } from "../../volumes/populator/observed_population.ts";
import {
  isPopulated,
  isPrimeFor,
  primeRunLabels,
  primeTarget,
} from "../../volumes/populator/population_marks.ts";
import { bindingHold, needsConsumer } from "../../volumes/populator/volume_of_prime.ts";
import { SEAT_LABEL } from "../../work/run_labels.ts";
import { FOREVER, type RunPolicy } from "../../work/run_policy.ts";
import type { RunIntent } from "../../work/task_decision.ts";
import { isInUse } from "../observe_target.ts";
import type { RestoreSource } from "../resolution.ts";
import type { Restore, RestoreApi } from "../restore.ts";
import type { KnownRestore, RestorePorts } from "../restore_ports.ts";
import {
  askTask,
  type NoRun,
  planRestoreRun,
  type RestoreContext,
  type RestoreRun,
  type RestoreTaskPlan,
  restoreTask,
} from "../restore_tasks.ts";
import {
  askPurposeFor,
  type ClaimMemory,
  type Fillable,
  fillPurpose,
  memoryOf,
  primeSlot,
  toFill,
} from "./population_memory.ts";

/** Asking is cheap, and a claim waits for as long as it takes. */
const ASK_POLICY: RunPolicy = FOREVER;

/** Looks at every claim that names the restore of this key, whether or not there is one. */
export async function observePopulations(
  ports: RestorePorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<ObservedPopulations> {
  const { client, api, clock } = ports;
  const known = ports.restore(key);
  const { restore, ownStatus } = known ?? {};
  const problem = ports.populationProblem(restore);
  const named = ports.claimsNaming(key);
  const primes = ports.primesFrom(key);
  const forsaken = primes.filter(
    (prime) => !named.some((claim) => isPrimeFor(prime, claim)) && !(restore && isInUse(prime, restore)),
  );
  const populations = await Promise.all([
    ...named.map(async (claim) => {
      const settled = isPopulated(claim) && !primes.some((prime) => isPrimeFor(prime, claim));
      const seen = settled ? { claim } : await observePopulation(client, claim, { signal });
      return { name: claim.metadata.name, seen };
    }),
    ...forsaken.map(async (prime) => ({
      name: primeTarget(prime),
      seen: await observeForsaken(client, prime, { signal }),
    })),
  ]);
  const claims = populations.map(({ name, seen }) => {
    const { prime } = seen;
    const memory = memoryOf(restore?.status, prime);
    if (!restore || !prime || !memory.failed) return { ...seen, name, memory };
    return { ...seen, name, memory, leftovers: ports.tasks.forgotten(restore, primeRunLabels(prime)) };
  });
  const filling = new Map<ObservedClaim, ObservedFilling>();
  if (known && problem === undefined) {
    const sourceOf = ({ name, memory }: ObservedClaim) =>
      known.source({ pinned: memory.resolved, target: name });
    for (const next of toFill(known.restore, claims, (claim) => sourceOf(claim).resolution.ok))
      filling.set(next, await observeFilling(ports, known, sourceOf(next), next, signal));
  }
  return {
    name: parseKey(key).name,
    restore,
    api,
    ownStatus,
    problem,
    claims: claims.map((claim) => ({ ...claim, filling: filling.get(claim) })),
    now: clock.now(),
  };
}

async function observeFilling(
  ports: RestorePorts,
  known: KnownRestore,
  source: RestoreSource,
  { claim, prime, memory }: Fillable,
  signal: AbortSignal,
): Promise<ObservedFilling> {
  const { restore } = known;
  const { resolution } = source;
  const slot = primeSlot(prime);
  const said = restore.status?.claims?.find(({ uid }) => uid === claim.metadata.uid)?.message ?? "";
  const labels = { ...primeRunLabels(prime), [SEAT_LABEL]: slot };
  const look = (run: Omit<RestoreRun, "slot">) =>
    planRestoreRun(ports, known, { ...run, slot: { slot, said } }, signal);
  if (!resolution.ok) return source;
  if (resolution.value.type === "Ask") {
    const asked = resolution.value;
    const { repository } = asked;
    const place = { purpose: askPurposeFor(restore, prime, asked), labels };
    const make = (context: RestoreContext) => askTask(context, place, asked);
    return { ...source, asking: await look({ repository, make, policy: ASK_POLICY }) };
  }
  const { pinned } = resolution.value;
  const { repository } = pinned;
  // What is decided is written down first.
  if (pinned.noSnapshot || !repository || !memory.resolved) return source;
  const unseen = needsConsumer(claim, prime);
  const place = {
    purpose: fillPurpose(prime),
    labels,
    claim: prime.metadata.name,
    ours: true,
    prime: true,
    unseen,
  };
  const make = (context: RestoreContext) => restoreTask(context, place, pinned);
  return { ...source, run: await look({ repository, make, hold: bindingHold(claim, prime) }) };
}

/** How a prime claim gets its content. */
export interface ObservedFilling extends RestoreSource {
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<RestoreTaskPlan, NoRun> | undefined;
  /** The run that writes the data. */
  readonly run?: Result<RestoreTaskPlan, NoRun> | undefined;
}

/** One claim that names a restore, or a prime claim whose claim is gone. */
export interface ObservedClaim extends ObservedPopulation {
  /** The name of the claim. */
  readonly name: string;
  readonly memory: ClaimMemory;
  /** Absent unless it is one of those that are filled now. */
  readonly filling?: ObservedFilling | undefined;
  /** What is left to be done about the runs of one that failed. */
  readonly leftovers?: readonly RunIntent[];
}

/** Every claim that names a restore. */
export interface ObservedPopulations {
  /** The name that the claims give. */
  readonly name: string;
  /** Absent where there is none of that name. */
  readonly restore: Restore | undefined;
  readonly api: RestoreApi;
  /** What its API keeps in its status besides. */
  readonly ownStatus?: object | undefined;
  /** Why no claim can be filled from it. */
  readonly problem: Problem | undefined;
  readonly claims: readonly ObservedClaim[];
  readonly now: number;
}
