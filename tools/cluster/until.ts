import { setTimeout as pause } from "node:timers/promises";
import { processState } from "../../src/lib/process_identity.ts";
import { messageOf } from "../../src/lib/result.ts";
import type { ComponentRecord } from "./info.ts";
import { tailOf } from "./log_tail.ts";

/** Something did not become so in time, or never will: a component that it needs has ended. */
export class NeverHappened extends Error {
  override name = "NeverHappened";
}

export interface UntilOptions {
  /** Longest wait, in milliseconds. Default 120 000. */
  readonly timeout?: number;
  /** Components without which it cannot become so, by name. */
  readonly watch?: Readonly<Record<string, ComponentRecord>>;
}

/** Asks again and again until the answer is yes. A check that throws counts as no; its last words are kept. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  options: UntilOptions = {},
): Promise<void> {
  const { timeout = 120_000, watch = {} } = options;
  const end = performance.now() + timeout;
  let last = "";
  for (;;) {
    try {
      if (await check()) return;
    } catch (error) {
      last = messageOf(error);
    }
    for (const [name, { process, log }] of Object.entries(watch)) {
      if (processState(process) !== "dead") continue;
      throw new NeverHappened(`${name} ended before ${what}; its log, ${log}, ends with:\n${tailOf(log)}`);
    }
    if (performance.now() > end) {
      const logs = Object.entries(watch).map(([name, { log }]) => `\n${name}, ${log}:\n${tailOf(log, 5)}`);
      throw new NeverHappened(
        `gave up after ${timeout / 1000} s waiting until ${what}${last && `: ${last}`}${logs.join("")}`,
      );
    }
    await pause(50);
  }
}
