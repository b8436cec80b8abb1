import { decideTask } from "../../../../core/work/decide_task.ts";
import type { ObservedRun } from "../../../../core/work/observed_run.ts";
import type { RunRequest } from "../../../../core/work/run_request.ts";
import type { RunIntent, TaskDecision } from "../../../../core/work/task_decision.ts";
import type { TaskView } from "../../../../core/work/task_view.ts";
import {
  endedJob,
  endedPod,
  failureOfClass,
  observed,
  runningPod,
  sampleJob,
  sampleResult,
} from "../../../../core/work/testing/samples.ts";
import type { Job } from "../../../../kube/builtin.ts";
import type { Controller } from "../../../../kube/controller/controller.ts";
import { keyOf } from "../../../../kube/object.ts";
import type { Clock } from "../../../../lib/clock.ts";
import { HttpFailure } from "../../../../lib/http.ts";
import type { Fate } from "../../testing/simulated_operator.ts";

interface SimulatedRun {
  readonly request: RunRequest;
  readonly uid: string;
  phase: "Suspended" | "Running" | "Succeeded" | "Failed";
}

/** What becomes of a mover: how long it works, and whether it succeeds. */
export interface MoverFate {
  readonly ms: number;
  readonly succeeds: boolean;
}

/** Jobs of movers, without a cluster: what runs when, and what it comes to. */
export class SimulatedRuns {
  /** The IDs of the movers that were let go, in order. */
  readonly begun: string[] = [];
  /** How many worked at once, at most. */
  most = 0;
  readonly #clock: Clock;
  readonly #runs = new Map<string, SimulatedRun>();
  readonly #controllers = new Set<Controller>();
  readonly #fate: () => MoverFate;
  #uids = 0;

  constructor(clock: Clock, fate: () => MoverFate) {
    this.#clock = clock;
    this.#fate = fate;
  }

  get left(): number {
    return this.#runs.size;
  }

  /** As an operator sees them, with a clock of its own. */
  tasks(clock: Clock, fate: () => Fate) {
    return {
      wake: (controller: Controller) => void this.#controllers.add(controller),
      decide: async (view: Omit<TaskView, "runs" | "now">): Promise<TaskDecision> =>
        decideTask({ ...view, runs: this.#observed(), now: clock.now() }),
      carryOut: async ({ intents }: TaskDecision) => {
        for (const intent of intents) {
          const becomes = fate();
          if (becomes !== "lost") this.#carryOut(intent);
          if (becomes !== "answered")
            throw new HttpFailure("the connection broke", { code: "ECONNRESET", sent: true });
        }
      },
    };
  }

  #carryOut(intent: RunIntent): void {
    switch (intent.type) {
      case "Ensure": {
        const { request, resume } = intent;
        const run = this.#runs.get(request.id) ?? this.#make(request);
        if (resume?.uid === run.uid && run.phase === "Suspended") this.#begin(run);
        return;
      }
      case "Remove":
        this.#runs.delete(intent.job.metadata.name);
        return;
      default:
        return;
    }
  }

  #make(request: RunRequest): SimulatedRun {
    const run: SimulatedRun = { request, uid: `job-${++this.#uids}`, phase: "Suspended" };
    this.#runs.set(request.id, run);
    return run;
  }

  #begin(run: SimulatedRun): void {
    const { ms, succeeds } = this.#fate();
    run.phase = "Running";
    this.begun.push(run.request.id);
    const working = [...this.#runs.values()].filter(({ phase }) => phase === "Running").length;
    this.most = Math.max(this.most, working);
    this.#clock.after(ms, () => {
      run.phase = succeeds ? "Succeeded" : "Failed";
      const { namespace, owner } = run.request;
      for (const controller of this.#controllers) controller.enqueue(keyOf({ namespace, name: owner.name }));
    });
  }

  #observed(): readonly ObservedRun[] {
    return [...this.#runs.values()].map(({ request, uid, phase }) => {
      const named = (job: Job): Job => ({ ...job, metadata: { ...job.metadata, name: request.id, uid } });
      if (phase === "Suspended") {
        const job = sampleJob(request);
        return observed(
          { job: named({ ...job, spec: { ...job.spec, suspend: true, template: {} } }) },
          request.id,
        );
      }
      if (phase === "Running")
        return observed({ job: named(sampleJob(request)), pod: runningPod(request) }, request.id);
      const failure = phase === "Failed" ? { failure: failureOfClass("Unreachable") } : {};
      const result = sampleResult({ ...failure, answer: answerOf(request) }, request.id);
      const job = named(
        endedJob(phase === "Failed" ? "BackoffLimitExceeded" : "CompletionsReached", request),
      );
      return observed(
        { job, pod: endedPod(phase === "Failed" ? 1 : 0, {}, request), report: { result, logTail: [] } },
        request.id,
      );
    });
  }
}

function answerOf({ work: { work } }: RunRequest) {
  return "maintain" in work
    ? { maintain: { owner: work.maintain.owner ?? "", freedBytes: 1 } }
    : { check: { problems: [] } };
}
