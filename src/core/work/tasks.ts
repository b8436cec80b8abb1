import type { PodClient } from "../../kube/client/pod_client.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import type { Controller } from "../../kube/controller/controller.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../observe/log.ts";
import { carryOut, type Hands } from "./carry_out.ts";
import { decideTask } from "./decide_task.ts";
import { tidyForgotten } from "./forgotten_runs.ts";
import type { MoverAccounts } from "./mover_accounts.ts";
import type { RunCaches } from "./run_caches.ts";
import { runOwner, toRunOwner } from "./run_labels.ts";
import { RunObserver } from "./run_observer.ts";
import { RunReports } from "./run_reports.ts";
import { attemptOf, type RunTask } from "./run_request.ts";
import { type AllowedUses, refusedUse } from "./run_uses.ts";
import { type Lend, Runs } from "./runs.ts";
import { sendStart } from "./send_start.ts";
import type { RunIntent, TaskDecision } from "./task_decision.ts";
import type { TaskView } from "./task_view.ts";

export interface TasksOptions {
  readonly client: Client;
  readonly logs: Pick<PodClient, "logs" | "exec">;
  readonly caches: RunCaches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Reads credentials of another namespace. Default: none are lent. */
  readonly lend?: Lend;
  /** Default: movers run under the default account of their namespace. */
  readonly accounts?: Pick<MoverAccounts, "in" | "again">;
  /** Which APIs may use more than the rest. Default: none. */
  readonly uses?: AllowedUses | undefined;
}

/**
 * How a controller gets work done: `decide`, then write the decision's record and state into the owner's status, then
 * `carryOut`. In this order: a decision made from an old status is refused there, before anything has been done.
 */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #runs: Runs;
  readonly #reports: RunReports;
  readonly #observer: RunObserver;
  readonly #listeners: ((pod: KubeObject) => void)[] = [];

  constructor(options: TasksOptions) {
    const { client, logs, caches, clock, random, log, lend, accounts } = options;
    this.#options = options;
    this.#runs = new Runs({ client, ...(lend ? { lend } : {}), ...(accounts ? { accounts } : {}) });
    const onNews = (pod: KubeObject) => {
      for (const tell of this.#listeners) tell(pod);
    };
    this.#reports = new RunReports({ logs, clock, random, log, onNews });
    this.#observer = new RunObserver({ caches, reader: client, reports: this.#reports, clock });
  }

  /** Before the controller runs: it reconciles its objects whenever there is news of their runs. */
  wake(controller: Controller, owner: Resource): void {
    const { jobs, pods } = this.#options.caches;
    const keys = toRunOwner(owner);
    controller.watch(jobs, { keys }).watch(pods, { keys });
    this.#listeners.push((pod) => {
      const key = runOwner(owner, pod);
      if (key !== undefined) controller.enqueue(key);
    });
  }

  /** Frees the memory of runs whose pods are long gone, until the returned function ends it and all following. */
  start(): () => void {
    return this.#reports.watch(this.#options.caches.pods);
  }

  /** Rejects with a Failure where the task may not be. */
  async decide(view: Omit<TaskView, "runs" | "now">, call: CallOptions = {}): Promise<TaskDecision> {
    const { clock, uses = new Map() } = this.#options;
    const refused = refusedUse(view.task, uses);
    if (refused) throw refused;
    const runs = await this.#observer.observe(view.task, view.record, call);
    return decideTask({ ...view, runs, now: clock.now() });
  }

  /** Rejects with a Failure where the task's runs could not be lent what they need, as things are. Lends nothing. */
  async mayLend(task: RunTask, { signal }: CallOptions = {}): Promise<void> {
    await this.#runs.mayLend(attemptOf(task, 1), signal);
  }

  /** What is to be done about runs of this owner that no record names any more, of those with all of these labels. */
  forgotten(owner: KubeObject, labels: Readonly<Record<string, string>>): readonly RunIntent[] {
    return tidyForgotten(this.#options.caches, owner, labels);
  }

  carryOut({ intents }: Pick<TaskDecision, "intents">, call: CallOptions = {}): Promise<void> {
    const { logs: pods, clock } = this.#options;
    const start: Hands["start"] = (pod, call) => sendStart({ pods, clock }, pod, call);
    return carryOut(intents, { runs: this.#runs, reports: this.#reports, start }, call);
  }
}
