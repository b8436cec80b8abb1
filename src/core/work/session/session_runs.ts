import type { Job, Pod } from "../../../kube/builtin.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import type { PodClient } from "../../../kube/client/pod_client.ts";
import type { Client } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { HttpSender } from "../../../lib/http.ts";
import type { HttpsSenderOptions } from "../../../lib/https_sender.ts";
import type { Random } from "../../../lib/random.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import { type MoverAccounts, underAccount } from "../mover_accounts.ts";
import type { RunCaches } from "../run_caches.ts";
import { runOf } from "../run_labels.ts";
import { RunObserver } from "../run_observer.ts";
import { RunReports } from "../run_reports.ts";
import { attemptOf } from "../run_request.ts";
import { Doorbell } from "./doorbell.ts";
import { greet } from "./greet.ts";
import { whenListening } from "./session_arrival.ts";
import { sessionEnd } from "./session_end.ts";
import { mintSessionKeys } from "./session_keys.ts";
import { makeSession, removeSession } from "./session_objects.ts";
import { onSomePort, type SessionPorts } from "./session_port.ts";
import { SESSION_LABEL, type SessionRequest, sessionTask } from "./session_request.ts";
import type { SessionRunner, SessionStartOptions, StartedSession } from "./session_runner.ts";

export interface SessionRunsOptions {
  readonly client: Pick<Client, "create" | "get" | "list" | "patch" | "delete">;
  readonly logs: Pick<PodClient, "logs">;
  readonly caches: RunCaches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Opens connections to movers. */
  readonly connect: (options: HttpsSenderOptions) => HttpSender;
  /** After so long without a question a session ends by itself. Default 300. */
  readonly idleSeconds?: number;
  /**
   * Sessions listen on one of these, both included, picked by chance: pods may share one network. One port is enough
   * where each has its own. Default 20000 to 29999.
   */
  readonly ports?: SessionPorts;
  readonly accounts: Pick<MoverAccounts, "in">;
}

/** As many questions at once as a mover takes on; further ones wait here. */
const AT_ONCE = 6;
const IDLE_SECONDS = 300;
const SWEEP = 60_000;
const REMOVE_TIMEOUT = 10_000;

interface Known {
  readonly ring: () => void;
  readonly onEnd: (why: string) => void;
  /** It has been handed over, and its end is told. */
  live: boolean;
}

/** Sessions as runs of their own: a Job each, with keys that this process alone has. */
export class SessionRuns implements SessionRunner {
  readonly #options: SessionRunsOptions;
  readonly #reports: RunReports;
  readonly #observer: RunObserver;
  /** The runs that this process has begun and not ended. */
  readonly #known = new Map<string, Known>();

  constructor(options: SessionRunsOptions) {
    const { logs, caches, clock, random, log, client: reader } = options;
    this.#options = options;
    const onNews = (pod: KubeObject) => this.#known.get(runOf(pod))?.ring();
    this.#reports = new RunReports({ logs, clock, random, log, onNews, interval: 100 });
    this.#observer = new RunObserver({ caches, reader, reports: this.#reports, clock });
  }

  watch(): () => void {
    const { caches, clock } = this.#options;
    const notice = (change: Change<Job | Pod>) => this.#notice(change);
    const ends = [caches.jobs.onChange(notice), caches.pods.onChange(notice)];
    let cancel = () => {};
    const sweep = () => {
      this.#sweep();
      cancel = clock.after(SWEEP, sweep);
    };
    sweep();
    return () => {
      cancel();
      for (const end of ends) end();
    };
  }

  start(request: SessionRequest, options: SessionStartOptions): Promise<StartedSession> {
    return onSomePort((port) => this.#startOn(port, request, options), this.#options);
  }

  async end({ sender, ...session }: StartedSession): Promise<void> {
    sender.close();
    await this.#remove(session);
  }

  async #startOn(
    port: number,
    request: SessionRequest,
    { signal, onEnd }: SessionStartOptions,
  ): Promise<StartedSession> {
    const { client, clock, random, connect, accounts, idleSeconds = IDLE_SECONDS } = this.#options;
    const task = sessionTask(request, { mark: random.hex(4), port, idleSeconds });
    const run = attemptOf(task, 1);
    const { id, namespace } = run;
    const bell = new Doorbell(clock);
    const known: Known = { ring: bell.ring, onEnd, live: false };
    this.#known.set(id, known);
    try {
      const keys = mintSessionKeys({ now: clock.now(), random });
      const job = await makeSession(client, await underAccount(run, accounts, { signal }), keys.mover, {
        signal,
      });
      const ports = { reader: client, observer: this.#observer, clock, bell, signal };
      const ip = await whenListening(task, job, ports);
      const place = `${ip.includes(":") ? `[${ip}]` : ip}:${port}`;
      const sender = connect({ url: `https://${place}`, tls: keys.operator, maxSockets: AT_ONCE });
      await greet(sender, { clock, signal, place, namespace });
      known.live = true;
      return { namespace, id, sender };
    } catch (error) {
      await this.#remove({ namespace, id });
      throw error;
    } finally {
      this.#reports.forget(id);
    }
  }

  #notice(change: Change<Job | Pod>): void {
    const known = this.#known.get(runOf(lastSeen(change)));
    if (!known) return;
    known.ring();
    const why = known.live ? sessionEnd(change) : undefined;
    if (why) known.onEnd(why);
  }

  /** Sessions of an operator that is gone cannot be talked to: their keys went with it. */
  #sweep(): void {
    for (const job of this.#options.caches.jobs.values()) {
      const { labels, namespace = "", deletionTimestamp } = job.metadata;
      if (labels?.[SESSION_LABEL] === undefined || deletionTimestamp || this.#known.has(runOf(job))) continue;
      void this.#remove({ namespace, id: job.metadata.name });
    }
  }

  async #remove(session: { readonly namespace: string; readonly id: string }): Promise<void> {
    this.#known.delete(session.id);
    const { client, log } = this.#options;
    await removeSession(client, session, { timeout: REMOVE_TIMEOUT }).catch((error: unknown) => {
      log.warn({ ...session, error: messageOf(error) }, "a session's Job could not be removed yet");
    });
  }
}
