import { type SpawnOptions, spawn } from "node:child_process";

/** What is told to end has so long for it, in milliseconds. */
const GRACE = 10_000;

export interface ChildOptions {
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the output is shown as it comes, or collected. Default collected. */
  readonly output?: "shown" | "collected";
  /** Ends the child. */
  readonly signal?: AbortSignal;
  /** Ends the child after so long, in milliseconds. Default never. */
  readonly limit?: number;
}

export interface ChildEnd {
  readonly exitCode: number;
  readonly output: string;
  readonly ms: number;
}

/** Runs a file of the project, or of its packages, under this Node, in the project's folder. */
export function runNode(args: readonly string[], options: ChildOptions = {}): Promise<ChildEnd> {
  const { env = {}, output = "collected", signal, limit } = options;
  const begin = performance.now();
  const stdio: SpawnOptions["stdio"] = output === "shown" ? "inherit" : ["ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [...args], { env: { ...process.env, ...env }, stdio });
  return new Promise((resolve, reject) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (data: string) => {
        text += data;
      });
    }
    const end = () => {
      child.kill();
      setTimeout(() => child.kill("SIGKILL"), GRACE).unref();
    };
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    const late = limit === undefined ? undefined : setTimeout(end, limit);
    child.on("error", reject);
    child.on("close", (code) => {
      signal?.removeEventListener("abort", end);
      clearTimeout(late);
      resolve({ exitCode: code ?? 1, output: text, ms: performance.now() - begin });
    });
  });
}
