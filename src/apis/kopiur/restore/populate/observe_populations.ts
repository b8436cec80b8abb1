import { observeForsaken, observePopulation } from "../../../../core/volumes/populator/observe_population.ts";
import type { ObservedPopulation } from "../../../../core/volumes/populator/observed_population.ts";
import {
  isPopulated,
  isPrimeFor,
  primeRunLabels,
  primeTarget,
} from "../../../../core/volumes/populator/population_marks.ts";
import { bindingHold, needsConsumer } from "../../../../core/volumes/populator/volume_of_prime.ts";
import { SEAT_LABEL } from "../../../../core/work/run_labels.ts";
import type { RunPolicy } from "../../../../core/work/run_policy.ts";
import { type ObjectKey, parseKey } from "../../../../kube/object.ts";
import { BY_DATA_SOURCE, BY_PRIME_SOURCE } from "../../caches.ts";
import type { KopiurPorts } from "../../ports.ts";
import { isInUse } from "../observe_through.ts";
import { onRepository, type RestoreRun } from "../on_repository.ts";
import { resolveSource, type Sources } from "../resolution.ts";
import { sourceObjects } from "../restore_sources.ts";
import { askTask, type RestoreGround, restoreTask } from "../restore_tasks.ts";
import { type Fillable, toFill } from "./claims_to_fill.ts";
import type { ObservedClaim, ObservedFilling, ObservedPopulations } from "./observed_populations.ts";
import { askPurposeFor, fillPurpose, memoryOf, primeSeat } from "./population_memory.ts";
import { populationProblem } from "./population_problem.ts";

/** Asking is cheap, and a claim waits for as long as it takes. */
const ASK_POLICY: RunPolicy = { backoffLimit: Number.MAX_SAFE_INTEGER };

/** Looks at every claim that names the Restore of this key, whether or not there is one. */
export async function observePopulations(
  ports: KopiurPorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<ObservedPopulations> {
  const { caches, clock } = ports;
  const restore = caches.restores.get(key);
  const problem = populationProblem(restore, ports.namespace !== undefined);
  const named = caches.claims.indexed(BY_DATA_SOURCE, key);
  const primes = caches.claims.indexed(BY_PRIME_SOURCE, key);
  const forsaken = primes.filter(
    (prime) => !named.some((claim) => isPrimeFor(prime, claim)) && !(restore && isInUse(prime, restore)),
  );
  const populations = await Promise.all([
    ...named.map(async (claim) => {
      const settled = isPopulated(claim) && !primes.some((prime) => isPrimeFor(prime, claim));
      const seen = settled ? { ...NOTHING, claim } : await observePopulation(ports.client, claim, { signal });
      return { name: claim.metadata.name, seen };
    }),
    ...forsaken.map(async (prime) => ({
      name: primeTarget(prime),
      seen: await observeForsaken(ports.client, prime, { signal }),
    })),
  ]);
  const claims = populations.map(({ name, seen }) => {
    const { prime } = seen;
    const memory = memoryOf(restore?.status, prime);
    if (!restore || !prime || !memory.failed) return { ...seen, name, memory };
    return { ...seen, name, memory, leftovers: ports.tasks.forgotten(restore, primeRunLabels(prime)) };
  });
  const filling = new Map<ObservedClaim, ObservedFilling>();
  if (restore && problem === undefined) {
    const objects = sourceObjects(ports, restore);
    const sourcesOf = ({ name, memory }: ObservedClaim): Sources => ({
      ...objects,
      pinned: memory.resolved,
      target: name,
      now: clock.now(),
    });
    for (const next of toFill(restore, claims, (claim) => resolveSource(sourcesOf(claim)).ok))
      filling.set(next, await observeFilling(ports, sourcesOf(next), next, signal));
  }
  return {
    name: parseKey(key).name,
    restore,
    problem,
    claims: claims.map((claim) => ({ ...claim, filling: filling.get(claim) })),
    now: clock.now(),
  };
}

const NOTHING: ObservedPopulation = {
  claim: undefined,
  bound: undefined,
  prime: undefined,
  volume: undefined,
};

async function observeFilling(
  ports: KopiurPorts,
  sources: Sources,
  { claim, prime, memory }: Fillable,
  signal: AbortSignal,
): Promise<ObservedFilling> {
  const { restore } = sources;
  const resolution = resolveSource(sources);
  const seat = primeSeat(prime);
  const said = restore.status?.claims?.find(({ uid }) => uid === claim.metadata.uid)?.message ?? "";
  const labels = { ...primeRunLabels(prime), [SEAT_LABEL]: seat };
  const look = (run: Omit<RestoreRun, "memory" | "seat">) =>
    onRepository(ports, sources, { ...run, memory: restore.status, seat: { seat, said } }, signal);
  if (!resolution.ok) return { sources, resolution };
  if (resolution.value.type === "Ask") {
    const { repository, identity } = resolution.value;
    const place = { purpose: askPurposeFor(restore, prime, resolution.value), labels };
    const make = (ground: RestoreGround) => askTask(ground, place, identity);
    return { sources, resolution, asking: await look({ repository, make, policy: ASK_POLICY }) };
  }
  const { pinned } = resolution.value;
  const { repository } = pinned;
  // What is decided is written down first.
  if (pinned.noSnapshot || !repository || !memory.resolved) return { sources, resolution };
  const unseen = needsConsumer(claim, prime);
  const place = {
    purpose: fillPurpose(prime),
    labels,
    claim: prime.metadata.name,
    ours: true,
    prime: true,
    unseen,
  };
  const make = (ground: RestoreGround) => restoreTask(ground, place, pinned);
  return { sources, resolution, run: await look({ repository, make, hold: bindingHold(claim, prime) }) };
}
