import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/lib/clock.ts";
import { IMAGES } from "../tools/images/images.ts";
import { bundle } from "../tools/run/bundle.ts";
import { autorestoreDay } from "./autorestore_day.ts";
import { AutorestoreGround } from "./autorestore_ground.ts";
import { atMost, type Figure, informs } from "./figures.ts";
import { Program } from "./program.ts";

const CLAIMS = 1_000;
const REST_MS = 20_000;

/** Selected PVCs with two targets each: a day of scheduled times, and what they cost the operator. */
export async function autorestoreFigures(say: (line: string) => void): Promise<Figure[]> {
  say(`a day of ${CLAIMS} PVCs with two targets each`);
  const { slots, lost, twice } = await autorestoreDay(CLAIMS);
  return [
    informs(`${CLAIMS} PVCs with two targets, a simulated day: backups that were due`, slots, ""),
    atMost("backups that were not made", lost, "", 0),
    atMost("backups that were made twice", twice, "", 0),
    ...(await memoryFigures(say)),
  ];
}

/** The operator's memory with this API and without it, before the same PVCs. */
async function memoryFigures(say: (line: string) => void): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const entry = fileURLToPath(new URL("../src/main/operator.ts", import.meta.url));
    const { path } = await bundle(entry, folder, "operator");
    say(`the operator without this API, and ${CLAIMS} PVCs`);
    const without = await memoryOf(path, join(folder, "without"), "kopiur");
    say("the same with it");
    const with_ = await memoryOf(path, join(folder, "with"), "kopiur,autorestore");
    return [
      informs(`operator with ${CLAIMS} PVCs, this API off: memory`, without, "MB"),
      informs("the same, this API on, all of them claimed", with_, "MB"),
      atMost("the difference", with_ - without, "MB", 25),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function memoryOf(path: string, folder: string, apis: string): Promise<number> {
  await using ground = new AutorestoreGround(systemClock);
  await ground.start(CLAIMS);
  mkdirSync(folder);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, await ground.serve(join(folder, "keys"), systemClock));
  const { flags, env } = IMAGES.operator;
  const { NODE_COMPILE_CACHE: _, ...own } = process.env;
  const program = new Program(path, [], {
    flags,
    compileCache: false,
    env: {
      ...own,
      ...env,
      KUBECONFIG: kubeconfig,
      HOLDFAST_HEALTH_PORT: "0",
      HOLDFAST_LOG_LEVEL: "error",
      HOLDFAST_APIS: apis,
    },
  });
  try {
    while (apis.includes("autorestore") && (await ground.claimed()) < CLAIMS) await pause(500);
    await pause(REST_MS);
    return program.rss;
  } finally {
    await program.end();
  }
}
