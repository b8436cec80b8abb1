import { setTimeout as pause } from "node:timers/promises";
import type { Program } from "./program.ts";

const REST_MS = 20_000;
/** Of processor time in that time: more is work that goes on. */
const RESTLESS_MS = 200;
const MOST_LOOKS = 30;

/** Statuses and Events of very many objects are written for minutes: what is measured is what stays. */
export async function atRest(program: Program): Promise<void> {
  for (let looks = 0, before = Number.NEGATIVE_INFINITY; program.cpu - before > RESTLESS_MS; looks += 1) {
    if (looks === MOST_LOOKS) throw new Error("the operator does not come to rest");
    before = program.cpu;
    await pause(REST_MS);
  }
}
