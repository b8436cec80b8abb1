import type { Pod } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import { type HeardReport, NOTHING_HEARD } from "./heard_report.ts";
import { ReportFollower, type ReportFollowerOptions } from "./report_follower.ts";
import { runOf } from "./run_labels.ts";

/** How long a pod's report is kept once the pod is gone and nobody has said that it may be forgotten. */
const KEPT = 15 * 60_000;

/** What movers report, by run: one connection each while they run, and little memory. */
export class RunReports {
  readonly #options: ReportFollowerOptions;
  readonly #followers = new Map<string, { readonly uid: string; readonly follower: ReportFollower }>();

  constructor(options: ReportFollowerOptions) {
    this.#options = options;
  }

  /** How many runs are remembered. */
  get size(): number {
    return this.#followers.size;
  }

  /** What was heard of a run so far, whether or not its pod is still there. */
  heard(run: string): HeardReport {
    return this.#followers.get(run)?.follower.heard ?? NOTHING_HEARD;
  }

  /** Follows a pod whose mover runs. */
  follow(pod: Pod): HeardReport {
    const follower = this.#of(pod);
    follower.follow();
    return follower.heard;
  }

  /** Everything that there is to hear of a pod whose mover has ended. */
  collect(pod: Pod, signal?: AbortSignal): Promise<HeardReport> {
    return this.#of(pod).collect(signal);
  }

  /** Nobody will ask for this run again. */
  forget(run: string): void {
    this.#followers.get(run)?.follower.stop();
    this.#followers.delete(run);
  }

  /** Forgets by itself, some time after a pod has gone, what nobody else did. Returns what ends that, and all following. */
  watch(pods: Cache<Pod>): () => void {
    const end = pods.onChange((change) => {
      if (change.type !== "removed") return;
      const run = runOf(change.previous);
      const { uid } = change.previous.metadata;
      if (this.#followers.get(run)?.uid !== uid) return;
      this.#options.clock.after(KEPT, () => {
        if (this.#followers.get(run)?.uid === uid) this.forget(run);
      });
    });
    return () => {
      end();
      for (const run of [...this.#followers.keys()]) this.forget(run);
    };
  }

  #of(pod: Pod): ReportFollower {
    const run = runOf(pod);
    const { uid } = pod.metadata;
    const present = this.#followers.get(run);
    if (present?.uid === uid) return present.follower;
    present?.follower.stop();
    const follower = new ReportFollower(pod, this.#options);
    this.#followers.set(run, { uid, follower });
    return follower;
  }
}
