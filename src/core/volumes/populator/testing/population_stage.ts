import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../../kube/builtin.ts";
import type { HttpClient } from "../../../../kube/client/http_client.ts";
import type { Resource } from "../../../../kube/resource.ts";
import { systemClock } from "../../../../lib/clock.ts";
import type { Claim } from "../../claim_request.ts";
import type { Volume } from "../../staging/observed_staging.ts";
import { eventually, namespace, type Stage } from "../../staging/testing/stage.ts";
import { carryOutPopulation } from "../carry_out_population.ts";
import { decidePopulation } from "../decide_population.ts";
import { observeForsaken, observePopulation } from "../observe_population.ts";
import type { PopulationState } from "../population_decision.ts";
import { isPrimeFor, SELECTED_NODE } from "../population_marks.ts";

const KEEPERS: Resource = {
  group: "example.com",
  version: "v1",
  kind: "Keeper",
  plural: "keepers",
  namespaced: true,
};
export const SOURCE = { resource: KEEPERS, name: "last", uid: "uid-last" };
let claims = 0;

/** Claims of a class that name a source, and a controller in small that fills them. */
export class PopulationStage {
  readonly #stage: Stage;
  readonly #storageClassName: string;
  /** The prime claims that were filled. */
  readonly #full = new Set<string>();

  constructor(stage: Stage, storageClassName: string) {
    this.#stage = stage;
    this.#storageClassName = storageClassName;
  }

  get client(): HttpClient {
    return this.#stage.client;
  }

  claim(name = `populated-${++claims}`): Promise<Claim> {
    return this.client.create(PersistentVolumeClaims, {
      metadata: { namespace, name, annotations: { [SELECTED_NODE]: "somewhere" } },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: this.#storageClassName,
        resources: { requests: { storage: "10Mi" } },
        dataSourceRef: { apiGroup: KEEPERS.group, kind: KEEPERS.kind, name: SOURCE.name },
      },
    });
  }

  /** One look, decision and deed, as a controller would. */
  async round(claim: Claim, by = this.client): Promise<PopulationState> {
    const seen = await observePopulation(by, claim);
    const forsaken = seen.claim ? undefined : (await this.primesOf(claim, by))[0];
    const observed = forsaken ? await observeForsaken(by, forsaken) : seen;
    const filled = this.#full.has(observed.prime?.metadata.uid ?? "");
    const now = systemClock.now();
    const decision = decidePopulation({
      ...observed,
      source: SOURCE,
      wanted: true,
      filled,
      instead: "do so",
      now,
    });
    const { state } = decision;
    await carryOutPopulation(by, decision.intents);
    if (state.phase === "Filling") this.#full.add(state.prime.metadata.uid);
    return state;
  }

  /** Until the claim has its data, and nothing of the prime claim is left. */
  async populated(claim: Claim, by = this.client): Promise<void> {
    await eventually(`the data of ${claim.metadata.name}`, async () => {
      const { phase } = await this.round(claim, by);
      return phase === "Populated" && (await this.primesOf(claim, by)).length === 0 ? true : undefined;
    });
  }

  /** Until nothing is left of a claim that was deleted. */
  async ended(claim: Claim): Promise<void> {
    await eventually(`the end of ${claim.metadata.name}`, async () => {
      await this.round(claim);
      return (await this.primesOf(claim)).length === 0 ? true : undefined;
    });
  }

  async primesOf(claim: Claim, by = this.client): Promise<readonly Claim[]> {
    const { items } = await by.list(PersistentVolumeClaims, { namespace });
    return items.filter((one) => isPrimeFor(one, claim));
  }

  /** The volumes that were made for a claim, whoever has them. */
  async volumesOf(claim: Claim, primes: readonly Claim[]): Promise<readonly Volume[]> {
    const holders = new Set([claim, ...primes].map(({ metadata }) => metadata.uid));
    const { items } = await this.client.list(PersistentVolumes);
    return items.filter(({ spec }) => holders.has(spec?.claimRef?.uid ?? ""));
  }

  async noVolumeRemains(claim: Claim, primes: readonly Claim[]): Promise<void> {
    await expect.poll(() => this.volumesOf(claim, primes), { timeout: 20_000, interval: 200 }).toEqual([]);
  }
}
