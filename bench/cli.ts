import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleInParts } from "../tools/run/bundle_in_parts.ts";
import { atMost, type Figure, informs, median } from "./figures.ts";

const STARTS = 15;
const LAUNCHES = 5;

/** How long the command line takes until it answers, beside Node that does nothing, and `npm start` until it begins. */
export async function cliFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-cli-"));
  try {
    const entry = fileURLToPath(new URL("../src/main/holdfast.ts", import.meta.url));
    const { path, bytes } = await bundleInParts(entry, folder);
    say(`starting it ${STARTS} times, and Node alone as often`);
    const [help, refusal, bare]: [number[], number[], number[]] = [[], [], []];
    for (let i = 0; i < STARTS; i++) {
      bare.push(timed(["-e", "0"]));
      help.push(timed([path, "--help"]));
      // As far as the door of a cluster: everything that a command needs is loaded.
      refusal.push(timed([path, "status", "--kubeconfig", join(folder, "none")]));
    }
    say(`npm start, ${LAUNCHES} times after a first`);
    launched();
    const launches = Array.from({ length: LAUNCHES }, launched);
    return [
      atMost("npm start again, to where the program begins", median(launches), "ms", 2000),
      atMost("command line: help", median(help), "ms", 120),
      atMost("command line: a command, up to the cluster", median(refusal), "ms", 120),
      informs("bare node -e 0", median(bare), "ms"),
      informs("its files", bytes / 2 ** 20, "MiB"),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(args: readonly string[]): number {
  const begun = performance.now();
  spawnSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - begun;
}

/** `npm start`, up to where the program itself looks at its arguments, and refuses them. */
function launched(): number {
  const begun = performance.now();
  const { stderr } = spawnSync("npm", ["start", "--silent", "--", "--port=none"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
  });
  const took = performance.now() - begun;
  if (!stderr.includes('--port is "none"')) throw new Error(`npm start did not get so far:\n${stderr}`);
  return took;
}
