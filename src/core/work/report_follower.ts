import { isNotFound } from "../../kube/api_error.ts";
import type { Pod } from "../../kube/builtin.ts";
import type { LogOptions, PodClient } from "../../kube/client/pod_client.ts";
import { type BackoffOptions, backoff } from "../../lib/backoff.ts";
import { type Clock, deadline, sleep } from "../../lib/clock.ts";
import { lines } from "../../lib/lines.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../../observe/log.ts";
import { type HeardReport, ReportListener } from "./heard_report.ts";
import { MOVER_CONTAINER } from "./mover_job.ts";
import { News } from "./news.ts";
import { runOf } from "./run_labels.ts";

export interface ReportFollowerOptions {
  readonly logs: Pick<PodClient, "logs">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Something new was heard of this pod's run: at most every `interval`, but at once for a result or a prepared mover. */
  readonly onNews: (pod: Pod) => void;
  /** In milliseconds. Default 5,000. */
  readonly interval?: number;
}

/** A result with a hundred snapshots is a tenth of this. */
const LONGEST_LINE = 2 ** 20;
/** All that is read again after a broken connection, and of a log whose mover has ended. */
const LAST_LINES = 200;
const RECONNECT: BackoffOptions = { base: 500, cap: 15_000 };
const COLLECT_TIMEOUT = 10_000;

/** Follows the log of one mover. */
export class ReportFollower {
  readonly #options: ReportFollowerOptions;
  readonly #pod: Pod;
  readonly #listener: ReportListener;
  readonly #news: News;
  readonly #stop = new AbortController();
  #following = false;

  constructor(pod: Pod, options: ReportFollowerOptions) {
    const { clock, interval = 5_000, onNews } = options;
    this.#options = options;
    this.#pod = pod;
    this.#listener = new ReportListener(runOf(pod));
    this.#news = new News({ clock, interval, announce: () => onNews(pod) });
  }

  get heard(): HeardReport {
    return this.#listener.heard;
  }

  /** Begins to follow, unless it has begun. */
  follow(): void {
    if (this.#following) return;
    this.#following = true;
    void this.#follow();
  }

  /** Reads the end of a log whose mover has ended, unless its result was heard. What cannot be read stays unread. */
  async collect(signal?: AbortSignal): Promise<HeardReport> {
    if (this.#stop.signal.aborted) return this.heard;
    if (this.heard.result === undefined) {
      using bound = deadline(this.#options.clock, COLLECT_TIMEOUT, "reading a mover's log", signal);
      await this.#read({ signal: bound.signal, tailLines: LAST_LINES }).catch((error: unknown) => {
        if (signal?.aborted) throw signal.reason;
        this.#options.log.debug(this.#about(error), "an ended mover's log could not be read");
      });
    }
    this.stop();
    return this.heard;
  }

  stop(): void {
    this.#news.stop();
    this.#stop.abort(new Error("nobody listens any more"));
  }

  /** Until the result is heard, the pod is gone or nobody listens any more; connections may break on the way. */
  async #follow(): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#stop;
    for (let tries = 1; ; tries++) {
      const tail = tries === 1 ? {} : { tailLines: LAST_LINES };
      try {
        await this.#read({ signal, follow: true, ...tail });
      } catch (error) {
        if (signal.aborted || isNotFound(error)) return;
        log.debug(this.#about(error), "a mover's log broke off");
      }
      if (this.heard.result) return;
      await sleep(clock, backoff(tries, RECONNECT, random), signal).catch(() => {});
      if (signal.aborted) return;
    }
  }

  async #read(options: LogOptions): Promise<void> {
    this.#listener.rewind();
    const container = MOVER_CONTAINER;
    const log = this.#options.logs.logs(this.#pod.metadata, { container, ...options });
    for await (const line of lines(log, LONGEST_LINE)) {
      this.#listener.add(line);
      const { result, progress } = this.heard;
      if (options.follow) this.#news.add(result !== undefined || progress?.step === "Prepared");
    }
  }

  #about(error: unknown) {
    return { run: runOf(this.#pod), pod: this.#pod.metadata.name, error: messageOf(error) };
  }
}
