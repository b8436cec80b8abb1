import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { timeLine } from "./times.ts";

/** Adds what each file took to the file that HOLDFAST_TIMES names, if it does. */
export default class TimesReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const out = process.env.HOLDFAST_TIMES;
    if (!out) return;
    const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } =
      module.diagnostic();
    const ms = prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration;
    const { processorSeconds } = module.meta();
    const time = {
      project: module.project.name,
      file: relative(process.cwd(), module.moduleId),
      seconds: ms / 1000,
      ...(processorSeconds === undefined ? {} : { processorSeconds }),
    };
    appendFileSync(out, timeLine(time));
  }
}
