import { type Clock, deadline, sleep } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../api_error.ts";
import { type Lease, Leases } from "../builtin.ts";
import type { Client } from "../client.ts";
import { LeadershipLost, type Runnable, ShutdownTimeout } from "../runnable.ts";
import { claimedSpec, releasedSpec, signOfLife } from "./lease_record.ts";

export interface LeaderElectorOptions {
  readonly client: Pick<Client, "get" | "create" | "update">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** The Lease that the candidates compete for. */
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unique to this process: a pod's name is not, a container that restarts keeps it. */
  readonly identity: string;
  /** How long others wait after the last sign of life, in milliseconds. Default 15,000. */
  readonly leaseDuration?: number;
  /** A leader that has not renewed for this long stops; shorter than the lease. Default 10,000. */
  readonly renewDeadline?: number;
  /** Time between two renewals, and between two looks of a candidate. Default 2,000. */
  readonly retryPeriod?: number;
}

/**
 * Competes for a Lease. `ready` is called when this process has become the leader; `run` rejects with
 * LeadershipLost when it no longer is, for good: start a new process to compete again. When told to stop it
 * releases the lease, so that another takes over at once: stop first whatever needs to be the leader.
 *
 * No two machines' clocks are compared. A candidate waits out the lease from the moment at which it saw the last
 * change; a leader counts from before it sent the last renewal that succeeded, and for a shorter time.
 */
export class LeaderElector implements Runnable {
  readonly name = "leader election";
  readonly #options: LeaderElectorOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #leaseDuration: number;
  readonly #renewDeadline: number;
  readonly #retryPeriod: number;
  #seen: { readonly life: string; readonly at: number } | undefined;
  #held: { readonly lease: Lease; readonly until: number } | undefined;
  #holder = "";
  #sequence = 0;
  /** A claim was sent: even without an answer, the lease may be ours. */
  #claimed = false;

  constructor(options: LeaderElectorOptions) {
    const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2_000 } = options;
    if (!(retryPeriod > 0 && retryPeriod < renewDeadline && renewDeadline < leaseDuration)) {
      throw new TypeError(
        `leader election needs 0 < retryPeriod < renewDeadline < leaseDuration, not ${retryPeriod}, ${renewDeadline}, ${leaseDuration}`,
      );
    }
    this.#options = options;
    this.#clock = options.clock;
    this.#log = (options.log ?? silentLogger).child({ identity: options.identity });
    this.#leaseDuration = leaseDuration;
    this.#renewDeadline = renewDeadline;
    this.#retryPeriod = retryPeriod;
  }

  /** Looks at the time itself, so that a process that was paused knows at once, before any timer fires. */
  isLeader(): boolean {
    return this.#held !== undefined && this.#clock.monotonic() < this.#held.until;
  }

  /** Who holds the lease, as far as known here; empty when nobody does. */
  get holder(): string {
    return this.#holder;
  }

  async run(signal: AbortSignal, ready: () => void): Promise<void> {
    try {
      await this.#compete(signal);
      this.#log.info({}, "became the leader");
      ready();
      await this.#keep(signal);
    } catch (error) {
      this.#held = undefined;
      if (!signal.aborted) throw error;
    }
    if (!(signal.reason instanceof ShutdownTimeout)) await this.#release();
  }

  async #compete(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#call(this.#renewDeadline, signal, (bound) => this.#tryAcquire(bound));
        if (this.isLeader()) return;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        this.#log.warn({ error: messageOf(error) }, "could not look at the lease; trying again");
      }
      await sleep(this.#clock, this.#jittered(this.#retryPeriod), signal);
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<void> {
    const { client, lease: name, identity } = this.#options;
    const found = await this.#find(signal);
    if (signal.aborted || (found && !this.#isFree(found))) return;
    const sentAt = this.#clock.monotonic();
    const spec = claimedSpec(found?.spec, this.#claim());
    this.#claimed = true;
    try {
      const lease = found
        ? await client.update(Leases, { ...found, spec }, { signal })
        : await client.create(Leases, { metadata: name, spec }, { signal });
      if (signal.aborted) return;
      this.#hold(lease, sentAt);
      this.#holder = identity;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      this.#log.debug({}, "another candidate was faster");
    }
  }

  #isFree(lease: Lease): boolean {
    const { holderIdentity = "", leaseDurationSeconds } = lease.spec ?? {};
    const life = signOfLife(lease);
    const now = this.#clock.monotonic();
    if (this.#seen?.life !== life) this.#seen = { life, at: now };
    if (this.#holder !== holderIdentity) this.#log.info({ holder: holderIdentity }, "the holder changed");
    this.#holder = holderIdentity;
    if (holderIdentity === "" || holderIdentity === this.#options.identity) return true;
    const wait = leaseDurationSeconds ? leaseDurationSeconds * 1000 : this.#leaseDuration;
    return now - this.#seen.at >= wait;
  }

  async #keep(signal: AbortSignal): Promise<never> {
    let trouble: unknown;
    for (;;) {
      const pause = this.#jittered(trouble ? this.#retryPeriod / 4 : this.#retryPeriod);
      await sleep(this.#clock, Math.min(pause, this.#timeLeft()), signal);
      if (!this.isLeader()) throw this.#expired(trouble);
      const bound = Math.min(this.#renewDeadline / 2, this.#timeLeft());
      try {
        await this.#call(bound, signal, (callSignal) => this.#renew(callSignal));
        trouble = undefined;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof LeadershipLost) throw error;
        trouble = error;
        this.#log.warn({ error: messageOf(error) }, "could not renew the lease; trying again");
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const before = this.#held?.lease;
    if (before === undefined) return;
    const sentAt = this.#clock.monotonic();
    const lease = { ...before, spec: claimedSpec(before.spec, this.#claim()) };
    try {
      const renewed = await this.#options.client.update(Leases, lease, { signal });
      // Once it is over it stays over: work that ended meanwhile does not begin again by itself.
      if (signal.aborted || !this.isLeader()) return;
      this.#hold(renewed, sentAt);
    } catch (error) {
      if (isNotFound(error)) throw this.#lost("it was deleted", error);
      if (isConflict(error)) await this.#lookAgain(signal);
      else throw error;
    }
  }

  /** Somebody wrote the lease: a takeover, an edit of its labels, or our own renewal whose answer was lost. */
  async #lookAgain(signal: AbortSignal): Promise<void> {
    const { identity } = this.#options;
    const found = await this.#find(signal);
    if (signal.aborted || this.#held === undefined) return;
    if (found?.spec?.holderIdentity !== identity) {
      throw this.#lost(
        found ? `its holder is ${found.spec?.holderIdentity || "no process"} now` : "it was deleted",
      );
    }
    this.#held = { lease: found, until: this.#held.until };
    throw new Error("the lease was written meanwhile; renewing the new version");
  }

  async #release(): Promise<void> {
    this.#held = undefined;
    if (!this.#claimed) return;
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        return await this.#call(this.#retryPeriod, undefined, (signal) => this.#letGo(signal));
      } catch (error) {
        this.#log.warn({ error: messageOf(error), attempt }, "could not release the lease");
      }
    }
  }

  async #letGo(signal: AbortSignal): Promise<void> {
    const { client, identity, clock } = this.#options;
    const found = await this.#find(signal);
    if (found?.spec?.holderIdentity !== identity || signal.aborted) return;
    await client.update(Leases, { ...found, spec: releasedSpec(found.spec, clock.now()) }, { signal });
    this.#log.info({}, "released the lease");
  }

  async #find(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#options.client.get(Leases, this.#options.lease, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Bounds a call from outside: a client that ignores its signal cannot keep a leader from noticing the time. */
  async #call<T>(
    ms: number,
    parent: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { namespace, name } = this.#options.lease;
    using bound = deadline(this.#clock, ms, `the request for the lease ${namespace}/${name}`, parent);
    const { signal } = bound;
    signal.throwIfAborted();
    return await unlessAborted(call(signal), signal);
  }

  #hold(lease: Lease, sentAt: number): void {
    this.#held = { lease, until: sentAt + this.#renewDeadline };
  }

  #claim() {
    const { identity, clock } = this.#options;
    return { identity, duration: this.#leaseDuration, now: clock.now(), sequence: this.#sequence++ };
  }

  #timeLeft(): number {
    return Math.max(0, (this.#held?.until ?? 0) - this.#clock.monotonic());
  }

  #jittered(ms: number): number {
    return ms * (0.8 + 0.4 * this.#options.random.next());
  }

  #expired(trouble: unknown): LeadershipLost {
    const why = trouble ? messageOf(trouble) : "this process did not run";
    return this.#lost(`it could not be renewed for ${this.#renewDeadline / 1000} s (${why})`, trouble);
  }

  #lost(why: string, cause?: unknown): LeadershipLost {
    const { namespace, name } = this.#options.lease;
    return new LeadershipLost(`lost the lease ${namespace}/${name}: ${why}; restarting as a candidate`, {
      cause,
    });
  }
}
