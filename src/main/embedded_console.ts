import manifest from "../../package.json" with { type: "json" };
import { type LoopbackConsole, loopbackConsole } from "../cli/console/loopback_console.ts";
import type { Screen } from "../cli/screen.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { systemRandom as random } from "../lib/random.ts";
import type { Logger } from "../observe/log.ts";
import { cliCluster } from "./cli_cluster.ts";
import { CLI_PORTS } from "./cli_ports.ts";

export interface EmbeddedConsole {
  readonly kubeconfig: string;
  /** The folder of the built page. */
  readonly page: string;
  readonly screen: Screen;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The console of this machine's Holdfast, as `holdfast console` would serve it. */
export async function embeddedConsole(options: EmbeddedConsole): Promise<LoopbackConsole> {
  const { kubeconfig, page, screen, log, signal } = options;
  const { env } = process;
  const cluster = await cliCluster({ env, kubeconfig });
  const opened = await loopbackConsole({
    ports: { ...CLI_PORTS, clock, random, version: manifest.version, env, log },
    cluster: async () => cluster,
    page,
    port: 0,
    onLinkUsed: (address) => screen.line(`The console in another browser: ${address}`),
    signal,
  });
  return {
    address: opened.address,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      cluster[Symbol.dispose]();
    },
  };
}
