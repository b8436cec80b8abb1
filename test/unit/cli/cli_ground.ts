import { COMMANDS } from "../../../src/cli/commands.ts";
import { runCli } from "../../../src/cli/frame/run_cli.ts";
import type { ApiView } from "../../../src/core/view/api_view.ts";
import { ControlPlane } from "../../../src/embedded/control_plane.ts";
import { MemoryStore } from "../../../src/embedded/store/memory_store.ts";
import { kopiurCrds } from "../../../src/kinds/kopiur/crds.ts";
import { HttpClient } from "../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../src/kube/client/pod_client.ts";
import { serverVersion } from "../../../src/kube/client/server_version.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import type { HttpRequest, HttpSender } from "../../../src/lib/http.ts";
import { HttpsSender } from "../../../src/lib/https_sender.ts";
import type { ServeRequest } from "../../../src/lib/https_server.ts";
import { systemRandom as random } from "../../../src/lib/random.ts";
import { cliOperatorRules } from "../../../src/main/cli_operator_rules.ts";
import { VIEWS } from "../../../src/main/views.ts";
import { silentLogger as log } from "../../../src/observe/log.ts";

/** How a command line ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface OtherAnswer {
  readonly status: number;
  readonly value: object | string;
}

export interface RunOptions {
  readonly sender?: HttpSender;
  readonly clock?: Clock;
  /** How APIs show their objects. Default: those that there are. */
  readonly views?: readonly ApiView[];
  /** Somebody looks on: lines that change are shown. */
  readonly seen?: boolean;
}

/** The commands, in this process, before an API server in the same process that has Holdfast's kinds and no operator. */
export class CliGround implements AsyncDisposable {
  readonly client: HttpClient;
  readonly #plane: ControlPlane;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor() {
    const clock = systemClock;
    this.#plane = new ControlPlane({
      clock,
      random,
      log,
      store: new MemoryStore({ clock }),
      crds: kopiurCrds,
      webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
    });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random, userAgent: "tests" });
    this.#running = this.#plane.run(this.#stop.signal);
  }

  static async open(): Promise<CliGround> {
    const ground = new CliGround();
    // It answers once its own namespaces are there.
    await ground.run("list");
    return ground;
  }

  get sender(): HttpSender {
    return this.#plane.sender;
  }

  /** What a server would serve. */
  get handle(): ServeRequest {
    return this.#plane.handle;
  }

  /** Runs `holdfast` with these words; by another clock or before another server, where they are given. */
  async run(line: string, options: RunOptions = {}): Promise<Ended> {
    const { sender = this.sender, clock = systemClock, views = VIEWS, seen = false } = options;
    const [out, err]: [string[], string[]] = [[], []];
    const into = (lines: string[]) => ({ write: (text: string | Uint8Array) => lines.push(String(text)) });
    const code = await runCli({
      argv: line.split(" "),
      commands: COMMANDS,
      terminal: { out: into(out), err: { ...into(err), isTTY: seen } },
      clock,
      random,
      signal: this.#stop.signal,
      env: {},
      version: "1.2.3",
      connect: async () => ({
        client: new HttpClient({ sender, clock: systemClock, random, userAgent: "holdfast-cli" }),
        pods: new PodClient({ sender, clock: systemClock, random }),
        version: (signal) => serverVersion(sender, signal),
        namespace: "default",
        server: "https://here",
        [Symbol.dispose]: () => {},
      }),
      sessionRequest: () => Promise.reject(new Error("there are no sessions here")),
      operatorRules: async (...operator) => cliOperatorRules(...operator),
      views: async () => views,
    });
    return { code, stdout: out.join(""), stderr: err.join("") };
  }

  /** A server that answers some requests in another way: with text as it is, else in JSON. */
  answering(other: (request: HttpRequest) => OtherAnswer | undefined): HttpSender {
    return {
      close: () => {},
      send: async (request) => {
        const answer = other(request);
        if (!answer) return this.sender.send(request);
        const { status, value } = answer;
        const body = (async function* () {
          yield Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
        })();
        return { status, headers: { "content-type": "application/json" }, body };
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.#running.catch(() => {});
    this.#plane.sender.close();
  }
}
