import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { type Clock, sleep } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { EngineError } from "../wire/engine_error.ts";
import type { Env } from "./engine_maker.ts";
import { realLayout, realPaths } from "./path_map.ts";

export interface StartSignalOptions {
  /** The file that is the signal. */
  readonly file: string;
  /** How long it is waited for. Default 1800. */
  readonly seconds: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Between two looks for the file, in milliseconds. */
const LOOK_AGAIN = 250;

/** Waits until the mover is told to start. */
export async function startSignal({
  file,
  seconds = 1800,
  clock,
  signal,
}: StartSignalOptions): Promise<void> {
  const due = clock.monotonic() + seconds * 1000;
  while (!existsSync(file)) {
    if (clock.monotonic() >= due) {
      throw new EngineError("Deadline", `the prepared mover was not told to start within ${seconds} s`, {
        remedy: "Find out why the start was held back, or give prepared movers more time.",
      });
    }
    await sleep(clock, LOOK_AGAIN, signal);
  }
}

/** Gives the signal, from a second process in the same container. Resolves to the exit code; never rejects. */
export async function giveStartSignal(env: Env, complain: (line: string) => void): Promise<number> {
  try {
    await writeFile(realLayout(realPaths(env.HOLDFAST_PATH_MAP)).start, "");
    return 0;
  } catch (error) {
    complain(`the start signal could not be given: ${messageOf(error)}\n`);
    return 1;
  }
}
