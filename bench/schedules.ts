import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { IMAGES } from "../tools/images/images.ts";
import { bundle } from "../tools/run/bundle.ts";
import { atMost, type Figure, informs } from "./figures.ts";
import { Program } from "./program.ts";
import type { ScheduleResult, ScheduleTask } from "./programs/schedules.ts";

const SCHEDULES = 10_000;
/** What a request to an API server takes that has other things to do as well. */
const LATENCY_MS = 5;

/** Very many schedules, and a day that passes quickly: see programs/schedules.ts. */
export async function scheduleFigures(say: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const entry = fileURLToPath(new URL("./programs/schedules.ts", import.meta.url));
    const { path } = await bundle(entry, folder, "schedules");
    const { flags, env } = IMAGES.operator;
    const day = async (budgeted: boolean) => {
      const task: ScheduleTask = { schedules: SCHEDULES, latency: LATENCY_MS, budgeted };
      const running = new Program(path, [JSON.stringify(task)], { flags, env: { ...process.env, ...env } });
      const result = JSON.parse(await running.line((line) => line.startsWith("{"))) as ScheduleResult;
      const { mostRss } = running;
      await running.end();
      return { ...result, mostRss };
    };
    say(`a day of ${SCHEDULES} schedules`);
    const { slots, made, twice, late99, latest, cpuMs, mostRss } = await day(false);
    say("the same, with no more requests a second than the operator makes");
    const spared = await day(true);
    return [
      informs(`${SCHEDULES} schedules, a simulated day: slots`, slots, ""),
      atMost("slots that were not made", slots - made, "", 0),
      atMost("slots that were made twice", twice, "", 0),
      atMost("late, 99 % of them at most", late99 / 1000, "s", 1),
      informs("late, the latest", latest / 1000, "s"),
      atMost(
        "at 75 requests a second: slots that were not made once",
        spared.slots - spared.made + spared.twice,
        "",
        0,
      ),
      informs("the same: late, 99 % of them at most", spared.late99 / 1000, "s"),
      informs(
        "the same: late, the latest, while 10,000 new schedules get their first status",
        spared.latest / 1000,
        "s",
      ),
      informs("CPU for each slot, with the simulation around it", cpuMs / slots, "ms"),
      atMost(
        "memory at most, with all schedules and the Backups that run",
        Math.max(mostRss, spared.mostRss),
        "MB",
        150,
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
