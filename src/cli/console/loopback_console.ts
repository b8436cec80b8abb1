import { listen } from "../../lib/https_server.ts";
import type { Cluster } from "../frame/command.ts";
import { CommandProblem } from "../frame/problem.ts";
import { consoleApp } from "./console_app.ts";
import { LinkToken } from "./link_token.ts";
import type { ConsolePorts } from "./ports.ts";
import { served } from "./served.ts";

const HOST = "127.0.0.1";
/** Streams of open pages are requests, too. */
const LIMITS = { requests: 256, body: 64 * 2 ** 10 };
/** What is under way when the console ends is cut off after this, in milliseconds. */
const GRACE = 2_000;

export interface LoopbackOptions {
  readonly ports: ConsolePorts;
  readonly cluster: () => Promise<Cluster>;
  /** The folder of the built page. */
  readonly page: string;
  /** 0: any free one. */
  readonly port: number;
  /** Told the next link when one has been used. */
  readonly onLinkUsed: (address: string) => void;
  readonly signal: AbortSignal;
}

/** A console that this machine alone reaches. */
export interface LoopbackConsole extends AsyncDisposable {
  /** Opens it once. */
  readonly address: string;
}

/** Serves the console on loopback, with the rights of whoever runs it. Throws a CommandProblem where it cannot listen. */
export async function loopbackConsole(options: LoopbackOptions): Promise<LoopbackConsole> {
  const { ports, cluster, page, port: wanted, signal } = options;
  const link = new LinkToken(ports.random);
  let port = 0;
  const address = () => `http://${HOST}:${port}/?token=${link.current}`;
  const app = consoleApp({
    ports,
    ways: { type: "loopback", cluster },
    link,
    onLinkUsed: () => options.onLinkUsed(address()),
    page,
    secure: false,
    port: () => port,
    signal,
  });
  const server = await listen({
    host: HOST,
    port: wanted,
    handler: served(app.fetch, "http"),
    limits: LIMITS,
  }).catch((cause: Error) => {
    throw new CommandProblem("the console cannot listen", {
      why: cause.message,
      fix: "Name another --port.",
      cause,
    });
  });
  port = server.port;
  return {
    address: address(),
    async [Symbol.asyncDispose]() {
      const cut = new AbortController();
      ports.clock.after(GRACE, () => cut.abort());
      await Promise.all([server.close(cut.signal), app[Symbol.asyncDispose]()]);
    },
  };
}
