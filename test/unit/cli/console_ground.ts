import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConsoleApp, consoleApp } from "../../../src/cli/console/console_app.ts";
import { CSRF_HEADER, type RunEvent, type Session } from "../../../src/cli/console/contract.ts";
import { LinkToken } from "../../../src/cli/console/link_token.ts";
import type { Oidc } from "../../../src/cli/console/oidc.ts";
import type { ConsolePorts } from "../../../src/cli/console/ports.ts";
import type { Cluster } from "../../../src/cli/frame/command.ts";
import { HttpClient } from "../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../src/kube/client/pod_client.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import type { HttpSender } from "../../../src/lib/http.ts";
import { systemRandom as random } from "../../../src/lib/random.ts";
import { cliOperatorRules } from "../../../src/main/cli_operator_rules.ts";
import { VIEWS } from "../../../src/main/views.ts";
import type { LogFields, Logger } from "../../../src/observe/log.ts";
import { CliGround } from "./cli_ground.ts";

export const PORT = 4711;
const HOST = `127.0.0.1:${PORT}`;
/** As the programs have it. */
const PATIENCE = 2_000;
const NAME = "backups.example.com";

export interface ConsoleGroundOptions {
  /** People sign in with a token of the cluster: how each of them reaches it. Default: on loopback, by a link. */
  readonly people?: Readonly<Record<string, (sender: HttpSender) => HttpSender>>;
  /** Where people sign in; `address` is the console's own. */
  readonly oidc?: (address: string) => Oidc;
  readonly clock?: Clock;
  /** The folder of a built page. Default: one that says so. */
  readonly page?: string;
  /** Where it is served. Default: nowhere, and people in a cluster know it by a name. */
  readonly port?: number;
  readonly openSession?: NonNullable<ConsolePorts["openSession"]>;
  /** On the way to the API server. */
  readonly way?: (sender: HttpSender) => HttpSender;
}

export interface AskOptions extends Omit<RequestInit, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The console's server before an API server in the same process, and a browser that keeps its cookie. */
export class ConsoleGround implements AsyncDisposable {
  readonly ground: CliGround;
  readonly app: ConsoleApp;
  readonly link = new LinkToken(random);
  readonly page: string;
  /** What was told of who did what. */
  readonly told: LogFields[] = [];
  readonly #stop = new AbortController();
  readonly #loopback: boolean;
  readonly #ownPage: boolean;

  constructor(ground: CliGround, options: ConsoleGroundOptions = {}) {
    const { people, oidc, clock = systemClock, page, port = PORT, openSession, way = (to) => to } = options;
    this.ground = ground;
    this.#loopback = people === undefined;
    this.page = page ?? pageThatSaysSo();
    this.#ownPage = page === undefined;
    const sender = way(ground.sender);
    const address = options.port === undefined ? `https://${NAME}` : `https://localhost:${port}`;
    const clusterBy = (sender: HttpSender): Cluster => ({
      client: new HttpClient({
        sender,
        clock: systemClock,
        random,
        userAgent: "console",
        patience: PATIENCE,
      }),
      pods: new PodClient({ sender, clock: systemClock, random }),
      version: async () => undefined,
      namespace: "default",
      server: "https://here",
    });
    const line: Logger["info"] = (fields) => void this.told.push(fields);
    const log: Logger = { debug() {}, info: line, warn: line, error: line, child: () => log };
    this.app = consoleApp({
      ports: {
        clock,
        random,
        version: "1.2.3",
        env: {},
        log,
        views: async () => VIEWS,
        operatorRules: async (...operator) => cliOperatorRules(...operator),
        sessionRequest: () => Promise.reject(new Error("there are no sessions here")),
        ...(openSession ? { openSession } : {}),
      },
      ways: people
        ? {
            type: "cluster",
            connect: async (token) => clusterBy((people[token] ?? unknown)(sender)),
            ...(oidc ? { oidc: oidc(address) } : {}),
          }
        : { type: "loopback", cluster: async () => clusterBy(sender) },
      ...(people ? { address } : { link: this.link, port: () => port }),
      page: this.page,
      secure: people !== undefined,
      signal: this.#stop.signal,
    });
  }

  static async open(options: ConsoleGroundOptions = {}): Promise<ConsoleGround> {
    return new ConsoleGround(await CliGround.open(), options);
  }

  get host(): string {
    return this.#loopback ? HOST : NAME;
  }

  ask(path: string, { headers, ...options }: AskOptions = {}): Promise<Response> {
    const request = new Request(`http://${HOST}${path}`, {
      ...options,
      headers: { host: this.host, ...headers },
    });
    return Promise.resolve(this.app.fetch(request));
  }

  /** A browser that somebody has signed in with: by the link, or with a token. */
  async signedIn(token?: string): Promise<Browser> {
    const response =
      token === undefined
        ? await this.ask(`/?token=${this.link.current}`)
        : await this.ask("/api/sign-in", { method: "POST", body: JSON.stringify({ token }) });
    const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
    if (!cookie) throw new Error(`nobody is signed in: ${response.status} ${await response.text()}`);
    const session = (await (await this.ask("/api/session", { headers: { cookie } })).json()) as Session;
    return new Browser(this, cookie, session);
  }

  /** Ends the console, and leaves the API server. */
  async end(): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.app[Symbol.asyncDispose]();
    if (this.#ownPage) rmSync(this.page, { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.ground[Symbol.asyncDispose]();
  }
}

/** One browser with its cookie. */
export class Browser {
  readonly cookie: string;
  readonly session: Session;
  readonly #ground: ConsoleGround;

  constructor(ground: ConsoleGround, cookie: string, session: Session) {
    this.#ground = ground;
    this.cookie = cookie;
    this.session = session;
  }

  ask(path: string, { headers, ...options }: AskOptions = {}): Promise<Response> {
    return this.#ground.ask(path, { ...options, headers: { cookie: this.cookie, ...headers } });
  }

  async json(path: string, status = 200): Promise<unknown> {
    const response = await this.ask(path);
    if (response.status !== status) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const proof = { [CSRF_HEADER]: this.session.csrf ?? "" };
    return this.ask(path, { method: "POST", body: JSON.stringify(body), headers: { ...proof, ...headers } });
  }

  /** Runs a line, and waits for its end. */
  async run(line: string, namespace = "default"): Promise<readonly RunEvent[]> {
    const response = await this.post("/api/run", { namespace, words: line.split(" ") });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${line}: ${response.status} ${text}`);
    return text
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one) as RunEvent);
  }
}

function pageThatSaysSo(): string {
  const folder = mkdtempSync(join(tmpdir(), "console-page-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<p>the page</p>");
  writeFileSync(join(folder, "assets", "main-abcdef12.js"), "1;");
  return folder;
}

/** Whoever has no token that the API server knows. */
function unknown(sender: HttpSender): HttpSender {
  return {
    close: () => sender.close(),
    send: async () => ({
      status: 401,
      headers: { "content-type": "application/json" },
      body: (async function* () {
        const status = { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401 };
        yield Buffer.from(JSON.stringify({ ...status, message: "Unauthorized" }));
      })(),
    }),
  };
}
