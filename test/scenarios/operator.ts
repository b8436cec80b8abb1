import { writesVolsync } from "../../src/apis/plumber/settings.ts";
import type { Api } from "../../src/core/api.ts";
import { operatorNamespaceOf, type Settings } from "../../src/core/work/settings.ts";
import { Informers } from "../../src/kube/cache/informers.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { PodClient } from "../../src/kube/client/pod_client.ts";
import { Manager } from "../../src/kube/controller/manager.ts";
import { grantedRules } from "../../src/kube/policy_rules.ts";
import type { Runnable } from "../../src/kube/runnable.ts";
import { LimitedSender } from "../../src/kube/testing/limited_sender.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { MachineClock } from "../../src/lib/machine_clock.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { admission } from "../../src/main/admission.ts";
import { APIS } from "../../src/main/apis.ts";
import { compose } from "../../src/main/compose.ts";
import { operatorBudgets } from "../../src/main/operator_budgets.ts";
import { operatorRules } from "../../src/main/operator_rights.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { noWatchObserver } from "../../src/observe/observers.ts";
import { type Death, MortalSender } from "./mortal_sender.ts";

interface Running {
  readonly sender: MortalSender;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** What the operator of a world may do: exactly what it would be granted by its Roles. */
export function scenarioRules(settings: Settings, apis: readonly Api[] = APIS, webhooks = false) {
  return grantedRules(operatorRules(apis), {
    scope: "cluster",
    namespace: operatorNamespaceOf(settings),
    clusterReads: true,
    lending: settings.lendSecrets ?? false,
    pausingGitOps: settings.pauseGitOps !== undefined,
    webhooks,
    ownCertificates: webhooks,
    ownAccounts: true,
    volsync: writesVolsync(settings.ofApis),
    adopting: false,
    removingCrds: false,
  });
}

export interface OperatorOptions {
  /** It asks no more of the API server than the shipped one does. Default: as much as it likes, so that tests are quick. */
  readonly budgeted?: boolean;
  /** Those that it serves. Default: all that there are. */
  readonly apis?: readonly Api[];
  /** Those whose webhooks it serves, at this address. Default: none. */
  readonly admission?: {
    readonly apis: readonly Api[];
    readonly host: string;
    /** The operator, as the API server knows it. Default: the API server knows one user alone, and is told of none. */
    readonly user?: string;
  };
}

/**
 * The operator of a world, in this process: one at a time, each with memory of its own. Scenarios that run side by side
 * take turns with it.
 */
export class Operator implements AsyncDisposable {
  /** Of its machine, which may be set. */
  readonly clock = new MachineClock(systemClock);
  readonly #sender: LimitedSender;
  readonly #settings: Settings;
  readonly #options: OperatorOptions;
  #running: Running;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(sender: HttpSender, settings: Settings, options: OperatorOptions = {}) {
    const home = operatorNamespaceOf(settings);
    this.#sender = new LimitedSender(sender, {
      rules: scenarioRules(settings, options.apis, options.admission !== undefined),
      home,
    });
    this.#settings = settings;
    this.#options = options;
    this.#running = this.#start();
  }

  /** Ends it as a crash would, and does something while there is none. */
  away<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#kill();
      try {
        return await work();
      } finally {
        this.#running = this.#start();
      }
    });
  }

  /** Another one, that may be bound to die, takes over from the one that runs or ran. */
  replace(death?: Death): Promise<{ readonly died: Promise<void> }> {
    return this.#inTurn(async () => {
      await this.#kill();
      this.#running = this.#start(death);
      return { died: this.#running.sender.died };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(() => this.#end());
    const { refused } = this.#sender;
    // Some refusals are lived with, and would go unnoticed.
    if (refused.size > 0) throw new Error(`the operator has no right to this: ${[...refused].join("; ")}`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #kill(): Promise<void> {
    this.#running.sender.die();
    await this.#end();
  }

  async #end(): Promise<void> {
    const { stop, ended } = this.#running;
    stop.abort(new Error("this operator is over"));
    await ended;
  }

  #start(death?: Death): Running {
    const sender = new MortalSender(this.#sender, death);
    const ports = { clock: this.clock, random, log };
    const caller = { ...ports, sender, userAgent: "scenarios-operator" };
    const client = new HttpClient(caller);
    const informers = new Informers({ ...ports, client, observer: noWatchObserver });
    const budgets = this.#options.budgeted ? operatorBudgets(this.clock) : undefined;
    const held = budgets
      ? {
          client: new HttpClient({ ...caller, budget: budgets.usual }),
          bulk: new HttpClient({ ...caller, budget: budgets.bulk }),
        }
      : { client };
    const controllers = compose({
      ...ports,
      apis: this.#options.apis ?? APIS,
      ...held,
      logs: new PodClient({ ...ports, sender }),
      connect: (place) => new HttpsSender(place),
      informers,
      settings: this.#settings,
    });
    const stop = new AbortController();
    const ended = new Manager(ports)
      .add("webhooks", ...this.#admission(client, informers))
      .add("caches", informers)
      .add("elected", ...controllers)
      .run(stop.signal);
    return { sender, stop, ended };
  }

  /** Where the API server knows one user alone, what the operator writes is judged as everybody's. */
  #admission(client: HttpClient, informers: Informers): readonly Runnable[] {
    const { admission: wanted } = this.#options;
    if (!wanted) return [];
    const { apis, host, user = "nobody" } = wanted;
    return [
      admission({
        apis,
        client,
        informers,
        clock: this.clock,
        random,
        log,
        settings: this.#settings,
        operatorNamespace: operatorNamespaceOf(this.#settings),
        operator: async () => user,
        host,
        port: 0,
        reach: (port) => ({ url: `https://${host}:${port}` }),
        names: { dns: [], ip: [host] },
        linger: 0,
      }),
    ];
  }
}
