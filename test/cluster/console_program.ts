import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { writePrivate } from "../../src/embedded/access.ts";
import { cacheFolder, clusterFolder } from "../../tools/cluster/folders.ts";
import { readInfo } from "../../tools/cluster/info.ts";
import { consolePage } from "../../tools/run/console_page.ts";
import { ended } from "../machine/holdfast_home.ts";
import { localhostIdentity } from "../scenarios/console_sign_in.ts";

/** The console as its Deployment runs it, but on this machine, before the cluster under test. */
export class ConsoleProgram implements AsyncDisposable {
  /** Where browsers find it. */
  readonly address: string;
  /** What it logs, line by line. */
  readonly log: readonly string[];
  readonly #stack: AsyncDisposableStack;

  private constructor(port: number, log: readonly string[], stack: AsyncDisposableStack) {
    this.address = `https://localhost:${port}/`;
    this.log = log;
    this.#stack = stack;
  }

  static async start(): Promise<ConsoleProgram> {
    const { server, ca } = readInfo(clusterFolder(process.env.HOLDFAST_TEST_CLUSTER ?? ""));
    await using stack = new AsyncDisposableStack();
    const certificates = mkdtempSync(join(tmpdir(), "console-certificates-"));
    stack.defer(() => rmSync(certificates, { recursive: true, force: true }));
    const { cert, key } = localhostIdentity();
    writePrivate(join(certificates, "tls.crt"), cert);
    writePrivate(join(certificates, "tls.key"), key);
    const child = spawn(process.execPath, ["src/main/console.ts"], {
      // Nothing of the kubeconfig's, nor of whoever runs the tests.
      env: {
        HOLDFAST_CONSOLE: await consolePage(cacheFolder()),
        HOLDFAST_CONSOLE_API_CA: ca,
        HOLDFAST_CONSOLE_API_SERVER: server,
        HOLDFAST_CONSOLE_CERTIFICATES: certificates,
        HOLDFAST_CONSOLE_PORT: "0",
        HOLDFAST_HEALTH_PORT: "0",
        HOLDFAST_LOG_FORMAT: "json",
      },
    });
    stack.defer(() => ended(child, "SIGTERM"));
    const log: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => log.push(line));
    const port = () => log.flatMap((line) => /"port":(\d+)/.exec(line)?.[1] ?? [])[0];
    while (port() === undefined) {
      if (child.exitCode !== null) throw new Error(log.join("\n"));
      await pause(20);
    }
    return new ConsoleProgram(Number(port()), log, stack.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
