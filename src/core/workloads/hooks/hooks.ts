import type { PodClient } from "../../../kube/client/pod_client.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import type { Controller } from "../../../kube/controller/controller.ts";
import { keyOf } from "../../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../../kube/resource.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { MoverAccounts } from "../../work/mover_accounts.ts";
import type { HookIntent } from "./decide_hooks.ts";
import { type HookSeries, hookId, lentTo } from "./hook.ts";
import { HookJobs } from "./hook_jobs.ts";
import type { HookResult, HookSight } from "./hook_sight.ts";
import { runExec } from "./run_exec.ts";

export interface HooksOptions {
  readonly client: Client;
  readonly pods: Pick<PodClient, "exec" | "logs">;
  readonly clock: Clock;
  /** For Jobs of ours. */
  readonly accounts: Pick<MoverAccounts, "in">;
  /** Secrets of other namespaces may be lent to Jobs. Default false. */
  readonly lending?: boolean | undefined;
}

/** What only this process knows of a hook: that its command runs, and how that ended or why it could not begin. */
type Known = { readonly result?: HookResult };

/**
 * How a controller gets hooks run: `see` the one that is under way, decide, write the progress into the owner's status,
 * then `carryOut`. In this order: what was begun is known to have been, whoever is stopped in between.
 */
export class Hooks {
  readonly #options: HooksOptions;
  readonly #jobs: HookJobs;
  readonly #known = new Map<string, Known>();
  readonly #listeners: ((series: HookSeries) => void)[] = [];
  readonly #end = new AbortController();

  constructor(options: HooksOptions) {
    this.#options = options;
    this.#jobs = new HookJobs(options);
  }

  /** Before the controller runs: it reconciles its objects when a command of theirs has ended. Jobs tell of themselves. */
  wake(controller: Controller, owner: Resource): void {
    this.#listeners.push(({ owner: whose, namespace }) => {
      if (whose.kind === owner.kind && whose.apiVersion === apiVersionOf(owner)) {
        controller.enqueue(keyOf({ namespace, name: whose.name }));
      }
    });
  }

  /** The returned function lets go of all commands: what they do may go on, and how it ends is not learnt any more. */
  start(): () => void {
    return () => this.#end.abort(new Error("the operator is stopping"));
  }

  /** What is known of a hook that was begun. */
  async see(series: HookSeries, index: number, call: CallOptions = {}): Promise<HookSight> {
    const known = this.#known.get(hookId(series, index));
    if (known?.result) return { phase: "Ended", result: known.result };
    if (known) return { phase: "Running" };
    return isCommand(series, index) ? { phase: "Unknown" } : this.#jobs.see(series, index, call);
  }

  async carryOut(series: HookSeries, intents: readonly HookIntent[], call: CallOptions = {}): Promise<void> {
    for (const intent of intents) {
      const { index } = intent;
      const id = hookId(series, index);
      if (intent.type === "Forget") {
        this.#known.delete(id);
        // A copy of a Secret goes with its Job, however that ended.
        const goes = intent.remove || lentTo(series, index) !== undefined;
        if (goes && !isCommand(series, index)) await this.#jobs.remove(series, index, call);
      } else if (isCommand(series, index)) {
        this.#start(series, index);
      } else {
        const refusal = await this.#jobs.start(series, index, call);
        if (refusal) this.#ended(series, id, refusal);
      }
    }
  }

  #start(series: HookSeries, index: number): void {
    const { action, timeout } = series.hooks[index] ?? {};
    const id = hookId(series, index);
    if (!action || !("exec" in action) || timeout === undefined || this.#known.has(id)) return;
    this.#known.set(id, {});
    const { signal } = this.#end;
    const order = { namespace: series.namespace, action: action.exec, timeout, signal };
    void runExec(this.#options, order).then((result) => {
      // One that was cut off by our own end has no result that anybody knew of.
      if (signal.aborted || !this.#known.has(id)) return;
      this.#ended(series, id, result);
    });
  }

  #ended(series: HookSeries, id: string, result: HookResult): void {
    this.#known.set(id, { result });
    for (const tell of this.#listeners) tell(series);
  }
}

function isCommand({ hooks }: HookSeries, index: number): boolean {
  return "exec" in (hooks[index]?.action ?? {});
}
