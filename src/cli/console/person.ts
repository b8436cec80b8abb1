import { isForbidden } from "../../kube/api_error.ts";
import { whoAmI } from "../../kube/client/who_am_i.ts";
import { messageOf } from "../../lib/result.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { Given } from "../frame/given.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { ShownLines } from "../screen.ts";
import { FreshViews, type Looked } from "./fresh_views.ts";
import { liveClient } from "./live_client.ts";
import { LiveObjects } from "./live_objects.ts";
import { mayList } from "./may_list.ts";
import type { ConsolePorts } from "./ports.ts";
import { RepositorySessions } from "./repository_sessions.ts";

/** What a person asks for, as a command line would have it. */
export interface Asked {
  /** Undefined for all that they may look at. */
  readonly namespace?: string | undefined;
  readonly words?: readonly string[];
  readonly options?: Readonly<Record<string, string | boolean | undefined>>;
  readonly signal: AbortSignal;
}

export interface PersonOptions {
  readonly cluster: Cluster & Partial<Disposable>;
  readonly ports: ConsolePorts;
}

/** What becomes of what a command says. */
type Shown = Partial<Pick<Call, "given" | "out" | "onPlan" | "progress">>;

const quiet: ShownLines = { columns: 0, line() {}, show() {}, clear() {} };
const nowhere = { write: () => true };

/** Somebody who is signed in: their way to the cluster, and what is kept while they look. */
export class Person implements AsyncDisposable {
  readonly user: string;
  readonly cluster: Cluster & Partial<Disposable>;
  /** The one namespace that is shown unless another is named, to whoever may not look at all of them. */
  readonly home: string | undefined;
  readonly live: LiveObjects;
  readonly sessions: RepositorySessions;
  readonly #underway = new Set<Promise<unknown>>();
  #ended = false;
  readonly #views: FreshViews;
  readonly #ports: ConsolePorts;

  /** Asks the API server who that is. Throws where it knows nobody. */
  static async of(options: PersonOptions, signal: AbortSignal): Promise<Person> {
    const { client, namespace } = options.cluster;
    const user = await whoAmI(client, { signal });
    const all = await mayList(client, undefined, { signal });
    return new Person(user, all ? undefined : namespace, options);
  }

  private constructor(user: string, home: string | undefined, { cluster, ports }: PersonOptions) {
    const { clock, random } = ports;
    this.user = user;
    this.home = home;
    this.cluster = cluster;
    this.#ports = ports;
    this.live = new LiveObjects({ client: cluster.client, clock, random });
    this.sessions = new RepositorySessions(clock, (signal) => this.call({ signal }), ports.openSession);
    this.#views = new FreshViews(this.live, clock, (namespace, signal) =>
      this.lookingCall({ namespace, signal }),
    );
  }

  /** A command of theirs. What it reads is as it is now. */
  call(asked: Asked, shown: Shown = {}): Call {
    return this.#callIn(this.cluster, asked, shown);
  }

  /** The same for what only looks: lists of whole kinds are those that are kept up to date. */
  lookingCall(asked: Asked): Call {
    return this.#callIn({ ...this.cluster, client: liveClient(this.cluster.client, this.live) }, asked, {});
  }

  /** What all APIs say, as it is now. */
  async view(namespace: string | undefined, signal: AbortSignal): Promise<Looked> {
    const scope = this.scope(namespace);
    try {
      return await this.#views.of(scope, signal);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      throw new CommandProblem(`you may not look at ${scope ? `namespace ${scope}` : "all namespaces"}`, {
        why: messageOf(error),
        fix: "Type the name of a namespace that you may look at into the field at the top.",
        code: EXIT.refused,
        cause: error,
      });
    }
  }

  /** Nothing more can be asked as them. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Keeps their way to the cluster until something is over, also when they have signed out meanwhile. */
  during(work: Promise<unknown>): void {
    const over = work.catch(() => {}).finally(() => this.#underway.delete(over));
    this.#underway.add(over);
  }

  /** The namespace that is meant; undefined for all. */
  scope(namespace: string | undefined): string | undefined {
    return namespace ?? this.home;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    this.live[Symbol.dispose]();
    await this.sessions[Symbol.asyncDispose]();
    void Promise.all(this.#underway).then(() => this.cluster[Symbol.dispose]?.());
  }

  #callIn(
    cluster: Cluster,
    { namespace = this.home, words = [], options = {}, signal }: Asked,
    shown: Shown,
  ): Call {
    const { clock, random, version, env, operatorRules, views, sessionRequest } = this.#ports;
    const where = namespace === undefined ? { "all-namespaces": true } : { namespace };
    return {
      given: new Given(words, { ...where, ...options }),
      out: () => {},
      progress: quiet,
      ...shown,
      terminal: { out: nowhere, err: nowhere },
      paint: (_, text) => text,
      clock,
      random,
      signal,
      env,
      version,
      operatorRules,
      views,
      cluster: async () => cluster,
      sessions: this.sessions,
      sessionRequest: (repository, image) => sessionRequest(cluster, repository, image, signal),
    };
  }
}
