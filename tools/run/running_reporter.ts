import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** What runs for so long is told again and again, in milliseconds. */
const LONG = 60_000;

/**
 * Says what runs, where it runs for long: a test that hangs in a loop is never told of by its own time limit, since the
 * timer has no turn any more.
 */
export default class RunningReporter implements Reporter {
  readonly #since = new Map<string, number>();

  onTestRunStart(): void {
    setInterval(() => this.#tell(), LONG).unref();
  }

  onTestModuleStart(module: TestModule): void {
    this.#since.set(fileOf(module), performance.now());
  }

  onTestModuleEnd(module: TestModule): void {
    this.#since.delete(fileOf(module));
  }

  onTestCaseReady(test: TestCase): void {
    this.#since.set(nameOf(test), performance.now());
  }

  onTestCaseResult(test: TestCase): void {
    this.#since.delete(nameOf(test));
  }

  #tell(): void {
    for (const [name, since] of this.#since) {
      const ms = performance.now() - since;
      if (ms > LONG) console.log(`runs for ${Math.round(ms / 1000)} s: ${name}`);
    }
  }
}

function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

function nameOf(test: TestCase): string {
  return `${fileOf(test.module)} > ${test.fullName}`;
}
