import { type Clock, type Deadline, deadline, sleep } from "../../lib/clock.ts";
import { jsonEqual } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../../observe/log.ts";
import { ignoreGone, isExpired } from "../api_error.ts";
import { CustomResourceDefinitions } from "../builtin.ts";
import type { Reader } from "../client.ts";
import { type Resource, resourceName } from "../resource.ts";
import type { Runnable } from "../runnable.ts";
import { type AdoptionScope, lookAtAdoption, lookAtCrds } from "./look_at_adoption.ts";
import { otherWrites, writeText } from "./other_writers.ts";

export interface AdoptionWatchOptions extends AdoptionScope {
  readonly client: Reader;
  readonly clock: Clock;
  readonly log: Logger;
  /** Such as that of an API. */
  readonly name: string;
  /** Called once, when what can be worked with is no longer what it was at the start. */
  readonly onTurn: (reason: string) => void;
  /** How often CRDs are looked at, in milliseconds. Default: half a minute. */
  readonly period?: number;
}

/**
 * An API server that does not answer does not hold the start up for longer. Later looks take no longer either: one that
 * finds what the first could not would start the program again and again.
 */
const PATIENCE = 30_000;
const PERIOD = 30_000;
/** After a watch that broke off. */
const PAUSE = 5_000;
/** A watch that breaks off is nothing; one that has done so this often in a row is told. */
const MANY = 12;

/**
 * Whether kinds that somebody else may have installed can be worked with: looked at once before anything is, and
 * followed from then on. Whoever works with them is put together at the start, so a change of mind is a new start.
 */
export class AdoptionWatch implements Runnable {
  readonly name: string;
  readonly #options: AdoptionWatchOptions;
  #problems: readonly string[] = ["it has not been looked at"];
  /** The CRDs that the last look was at. */
  #versions: readonly string[] = [];
  #turned = false;

  constructor(options: AdoptionWatchOptions) {
    this.#options = options;
    this.name = `adoption of ${options.name}`;
  }

  /** What stands against working with these kinds. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** The look before anything is worked with. What cannot be seen is not worked with. */
  async look(): Promise<void> {
    const { client, log, name } = this.#options;
    try {
      using patience = this.#patience();
      const { signal } = patience;
      this.#versions = await this.#crdVersions(signal);
      this.#learn(await lookAtAdoption(client, this.#options, { signal }));
    } catch (error) {
      this.#learn([`the CRDs and objects could not be looked at: ${messageOf(error)}`]);
    }
    if (this.#problems.length === 0)
      log.info({ api: name }, "its CRDs are worked with, whoever installed them");
  }

  async run(signal: AbortSignal, ready: () => void): Promise<void> {
    ready();
    const { kinds } = this.#options;
    const served = this.#problems.length === 0;
    const loops = served ? kinds.map(({ resource }) => this.#follow(resource, signal)) : [];
    await Promise.all([this.#lookAgain(served, signal), ...loops]);
  }

  #patience(parent?: AbortSignal): Deadline {
    return deadline(this.#options.clock, PATIENCE, "looking at CRDs and their objects", parent);
  }

  async #lookAgain(served: boolean, signal: AbortSignal): Promise<void> {
    const { client, clock, log, period = PERIOD } = this.#options;
    while (!signal.aborted) {
      await sleep(clock, period, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        using patience = this.#patience(signal);
        const problems = served
          ? await this.#crdProblems(patience.signal)
          : await lookAtAdoption(client, this.#options, { signal: patience.signal });
        this.#learn(problems);
        if (served && problems.length > 0) this.#turn("its CRDs cannot be worked with any more");
        if (!served && problems.length === 0) this.#turn("nothing stands against it any more");
      } catch (error) {
        // What was true stays so while nobody can look.
        if (!signal.aborted) log.warn({ error: messageOf(error) }, `the ${this.name} could not be looked at`);
      }
    }
  }

  /** Of CRDs that have changed: they are large, and mostly have not. */
  async #crdProblems(signal: AbortSignal): Promise<readonly string[]> {
    const versions = await this.#crdVersions(signal);
    if (jsonEqual(versions, this.#versions)) return this.#problems;
    const problems = await lookAtCrds(this.#options.client, this.#options, { signal });
    this.#versions = versions;
    return problems;
  }

  #crdVersions(signal: AbortSignal): Promise<readonly string[]> {
    const { client, kinds } = this.#options;
    return Promise.all(
      kinds.map(async ({ resource }) => {
        const name = resourceName(resource);
        const crd = await client.metadata
          .get(CustomResourceDefinitions, { name }, { signal })
          .catch(ignoreGone);
        return crd ? `${crd.metadata.uid} ${crd.metadata.resourceVersion}` : "none";
      }),
    );
  }

  /** Begins with the objects that there are, and goes on with each that is written. Nothing is kept of them. */
  async #follow(resource: Resource, signal: AbortSignal): Promise<void> {
    const { client, clock, log, namespace, previousControllerStoppedAt } = this.#options;
    const where = namespace === undefined || !resource.namespaced ? {} : { namespace };
    let version: string | undefined;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const from = version === undefined ? {} : { resourceVersion: version };
        for await (const event of client.metadata.watch(resource, { ...where, ...from, signal })) {
          failures = 0;
          if (event.type === "BOOKMARK") {
            version = event.resourceVersion;
            continue;
          }
          // Objects that were there at the start come in no order, so a version counts once it is a change.
          if (event.type !== "ADDED") version = event.object.metadata.resourceVersion;
          const [write] = otherWrites(resource, event.object, previousControllerStoppedAt);
          if (write && event.type !== "DELETED") {
            this.#learn([writeText(write)]);
            this.#turn("another controller works on the same objects");
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) version = undefined;
        failures += 1;
        const fields = { resource: resourceName(resource), error: messageOf(error) };
        if (failures % MANY > 0) log.debug(fields, "watch interrupted");
        else log.warn(fields, `the ${this.name} cannot be followed: another controller would not be noticed`);
      }
      await sleep(clock, PAUSE, signal).catch(() => {});
    }
  }

  #learn(problems: readonly string[]): void {
    const { log, name } = this.#options;
    const known = new Set(this.#problems);
    this.#problems = problems;
    for (const problem of problems) if (!known.has(problem)) log.warn({ api: name, problem }, "not served");
  }

  #turn(reason: string): void {
    if (this.#turned) return;
    this.#turned = true;
    this.#options.onTurn(reason);
  }
}
