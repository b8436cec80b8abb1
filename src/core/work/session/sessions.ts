import { Failure } from "../../../kube/failure.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { type Clock, deadline } from "../../../lib/clock.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { unlessAborted } from "../../../lib/unless_aborted.ts";
import type { Logger } from "../../../observe/log.ts";
import { LiveSession } from "./live_session.ts";
import { PooledSender } from "./pooled_sender.ts";
import { Seats } from "./seats.ts";
import { SessionClient } from "./session_client.ts";
import type { SessionRequest } from "./session_request.ts";
import type { SessionRunner } from "./session_runner.ts";

export interface SessionsOptions {
  readonly runner: SessionRunner;
  readonly clock: Clock;
  readonly log: Logger;
  /** Sessions at once, those that are starting included. Default 8. */
  readonly limit?: number;
}

/** How long a start waits for another session to make room. */
const WAIT_FOR_SEAT = 30_000;
/** Between two questions, such as for two pages, a session is not taken away. */
const MOMENT = 1_000;

interface Place {
  readonly request: SessionRequest;
  readonly stop: AbortController;
  readonly session: Promise<LiveSession>;
  live?: LiveSession;
}

/**
 * The repository sessions of this operator: one per repository, started when somebody asks. There must be one of this
 * in a cluster, and so it runs with what is elected: it removes sessions that it does not know.
 */
export class Sessions implements Runnable {
  readonly name = "sessions";
  readonly #options: SessionsOptions;
  readonly #limit: number;
  readonly #seats: Seats;
  /** By the UID of the repository's object. */
  readonly #places = new Map<string, Place>();
  /** How many have questions, by the same. */
  readonly #askers = new Map<string, number>();
  readonly #ending = new Set<Promise<void>>();
  #open = false;
  #cancelLook = () => {};

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#limit = options.limit ?? 8;
    this.#seats = new Seats({ count: this.#limit, onScarce: () => this.#makeRoom() });
  }

  /** How many there are, those that are starting included. */
  get size(): number {
    return this.#places.size;
  }

  async run(signal: AbortSignal, ready: () => void): Promise<void> {
    const stopWatching = this.#options.runner.watch();
    this.#open = true;
    ready();
    await unlessAborted(new Promise<never>(() => {}), signal).catch(() => {});
    this.#open = false;
    this.#cancelLook();
    const places = [...this.#places.values()];
    for (const place of places) this.#end(place, "the operator stops");
    await Promise.allSettled([...places.map(({ session }) => session), ...this.#ending]);
    stopWatching();
  }

  /**
   * Resolves when the repository's session answers. The client stays good for as long as the repository's settings
   * are the same: a session that ends is replaced with its next question. With the close of the last client it ends at
   * once: it may keep a volume from others. Rejects with an EngineError where the repository could not be opened, with
   * a Failure where the session could not be made, or with the signal's reason.
   */
  async open(request: SessionRequest, signal?: AbortSignal): Promise<SessionClient> {
    const present = this.#places.get(request.owner.uid);
    if (present && !jsonEqual(present.request, request))
      this.#end(present, "the repository's settings changed");
    await this.#take(request, signal);
    const { uid } = request.owner;
    this.#askers.set(uid, (this.#askers.get(uid) ?? 0) + 1);
    const take = (asked?: AbortSignal) => this.#take(request, asked);
    return new SessionClient(new PooledSender(take, () => this.#unasked(uid)));
  }

  #unasked(uid: string): void {
    const left = (this.#askers.get(uid) ?? 1) - 1;
    if (left > 0) return void this.#askers.set(uid, left);
    this.#askers.delete(uid);
    const place = this.#places.get(uid);
    if (place?.live && !place.live.busy) this.#end(place, "nobody has further questions");
  }

  #take(request: SessionRequest, signal?: AbortSignal): Promise<LiveSession> {
    if (!this.#open) return Promise.reject(closed());
    const { session } = this.#places.get(request.owner.uid) ?? this.#begin(request);
    return unlessAborted(session, signal);
  }

  /** Goes on when whoever asked first has gone: others may have come to wait for it. */
  #begin(request: SessionRequest): Place {
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const place: Place = { request, stop, session: begun.promise.then(() => this.#start(place)) };
    this.#places.set(request.owner.uid, place);
    place.session.catch(() => this.#leave(place));
    begun.resolve();
    return place;
  }

  async #start(place: Place): Promise<LiveSession> {
    const { runner, clock, log } = this.#options;
    const { request, stop } = place;
    const { signal } = stop;
    await this.#slot(signal);
    try {
      const started = await runner.start(request, { signal, onEnd: (why) => this.#end(place, why) });
      if (signal.aborted) {
        await runner.end(started);
        throw signal.reason;
      }
      const onSilence = (why: string) => this.#end(place, `it does not answer: ${why}`);
      place.live = new LiveSession({ started, clock, onRest: () => this.#makeRoom(), onSilence });
    } catch (error) {
      this.#seats.giveBack();
      throw error;
    }
    log.debug({ run: place.live.started.id }, "a repository session answers");
    this.#makeRoom();
    return place.live;
  }

  async #slot(signal: AbortSignal): Promise<void> {
    using limit = deadline(this.#options.clock, WAIT_FOR_SEAT, "the wait for a session", signal);
    await this.#seats.take(limit.signal).catch((error: unknown) => {
      throw signal.aborted ? error : busy(this.#limit);
    });
  }

  /** Ends the session that was longest not asked, where somebody waits for its seat. */
  #makeRoom(): void {
    this.#cancelLook();
    if (this.#seats.wanted <= this.#ending.size) return;
    const [oldest] = [...this.#places.values()]
      .filter(({ live }) => live && !live.busy)
      .toSorted((a, b) => (a.live?.lastUsed ?? 0) - (b.live?.lastUsed ?? 0));
    if (!oldest?.live) return;
    const rest = oldest.live.lastUsed + MOMENT - this.#options.clock.monotonic();
    if (rest > 0) this.#cancelLook = this.#options.clock.after(rest, () => this.#makeRoom());
    else this.#end(oldest, "it makes room for another");
  }

  /** One that is only starting is told to stop, and cleans up by itself. */
  #end(place: Place, why: string): void {
    const { runner, log } = this.#options;
    const { live, stop, request } = place;
    if (stop.signal.aborted) return;
    this.#leave(place);
    stop.abort(new Failure("transient", "SessionEnded", `The repository session was ended: ${why}.`));
    if (!live) return;
    live.end(why);
    log.debug({ run: live.started.id, repository: request.owner.name, why }, "a repository session ends");
    const ended = runner.end(live.started).then(() => {
      this.#ending.delete(ended);
      this.#seats.giveBack();
      this.#makeRoom();
    });
    this.#ending.add(ended);
  }

  #leave(place: Place): void {
    const { uid } = place.request.owner;
    if (this.#places.get(uid) === place) this.#places.delete(uid);
  }
}

function busy(limit: number): Failure {
  return new Failure(
    "transient",
    "SessionsBusy",
    `All ${limit} repository sessions are busy, and none made room within ${WAIT_FOR_SEAT / 1000} s. ` +
      "Ask again in a moment, or let the operator hold more sessions.",
  );
}

function closed(): Failure {
  return new Failure(
    "transient",
    "SessionsClosed",
    "Repository sessions are not open: the operator is starting, stopping, or no longer the leader. Ask again in a moment.",
  );
}
