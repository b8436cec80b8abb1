import { served } from "../../src/cli/console/served.ts";
import { listen, type RunningServer } from "../../src/lib/https_server.ts";
import { cacheFolder } from "../../tools/cluster/folders.ts";
import { consolePage } from "../../tools/run/console_page.ts";
import { localhostIdentity } from "../scenarios/console_sign_in.ts";
import { CliGround } from "../unit/cli/cli_ground.ts";
import { ConsoleGround, type ConsoleGroundOptions } from "../unit/cli/console_ground.ts";

/** As its own programs have it. */
const LIMITS = { requests: 256, body: 64 * 2 ** 10 };

/** The console's server and its built page, on a port that browsers reach, before an API server in this process. */
export class PageGround implements AsyncDisposable {
  readonly #options: ConsoleGroundOptions;
  readonly #ground: CliGround;
  #console: ConsoleGround | undefined;
  #server: RunningServer | undefined;
  #port = 0;

  private constructor(options: ConsoleGroundOptions, ground: CliGround) {
    this.#options = options;
    this.#ground = ground;
  }

  static async open(options: ConsoleGroundOptions = {}): Promise<PageGround> {
    const page = await consolePage(cacheFolder());
    const ground = new PageGround({ ...options, page }, await CliGround.open());
    await ground.start();
    return ground;
  }

  /** The API server, as somebody who may do everything. */
  get client(): CliGround["client"] {
    return this.#ground.client;
  }

  get console(): ConsoleGround {
    if (!this.#console) throw new Error("the console does not run");
    return this.#console;
  }

  /** Where a browser finds it. On loopback, with the link that signs in. */
  get address(): string {
    return this.#options.people
      ? `https://localhost:${this.#port}/`
      : `http://127.0.0.1:${this.#port}/?token=${this.console.link.current}`;
  }

  /** Also after an end: at the same address, and everybody is signed out. */
  async start(): Promise<void> {
    const scheme = this.#options.people ? "https" : "http";
    this.#server = await listen({
      host: "127.0.0.1",
      port: this.#port,
      ...(scheme === "https" ? { tls: localhostIdentity } : {}),
      handler: served((request) => this.console.app.fetch(request), scheme),
      limits: LIMITS,
    });
    this.#port = this.#server.port;
    this.#console = new ConsoleGround(this.#ground, { ...this.#options, port: this.#port });
  }

  async end(): Promise<void> {
    await this.#console?.end();
    await this.#server?.close(AbortSignal.abort());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.#ground[Symbol.asyncDispose]();
  }
}
