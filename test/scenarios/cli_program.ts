import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { bundleInParts } from "../../tools/run/bundle_in_parts.ts";

/** How a command line ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProgramOptions {
  /** Where it is put, and where it runs. */
  readonly folder: string;
  readonly kubeconfig: string;
}

/** The bundled command line, as somebody has it who installed it. */
export class CliProgram {
  /** Where it puts files that are named by no folder. */
  readonly folder: string;
  /** Its file. */
  readonly path: string;
  readonly #kubeconfig: string;

  private constructor(path: string, { folder, kubeconfig }: CliProgramOptions) {
    this.path = path;
    this.folder = folder;
    this.#kubeconfig = kubeconfig;
  }

  static async bundled(options: CliProgramOptions): Promise<CliProgram> {
    const { path } = await bundleInParts("src/main/holdfast.ts", options.folder);
    return new CliProgram(path, options);
  }

  /** Runs `holdfast` with these words. `heard` gets what it prints as it comes. */
  run(words: readonly string[], heard?: (printed: string) => void): Promise<Ended> {
    const options = { env: this.env, cwd: this.folder, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [this.path, ...words], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
      if (heard) child.stdout?.on("data", heard);
      child.stdin?.end();
    });
  }

  /** The same, with an output whose reader has left, or that is full. */
  async runInto(output: "closed" | "full", words: readonly string[]): Promise<Omit<Ended, "stdout">> {
    const full = output === "full" ? await open("/dev/full", "w") : undefined;
    const child = spawn(process.execPath, [this.path, ...words], {
      env: this.env,
      cwd: this.folder,
      stdio: ["ignore", full?.fd ?? "pipe", "pipe"],
    });
    child.stdout?.destroy();
    const [stderr, [code]] = await Promise.all([
      text(child.stderr ?? Readable.from([])),
      once(child, "exit") as Promise<[number | null]>,
    ]);
    await full?.close();
    return { code: code ?? -1, stderr };
  }

  get env() {
    return { PATH: process.env.PATH, HOME: this.folder, KUBECONFIG: this.#kubeconfig };
  }
}
