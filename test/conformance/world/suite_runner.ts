import { afterAll, beforeAll, describe, test, vi } from "vitest";
import { themes } from "../themes.ts";
import { PATIENCE } from "./api.ts";
import { type Ground, Stay, type World } from "./world.ts";

/** Cases at once: most of their time is waiting for controllers. */
const AT_ONCE = 24;

/** Every case of the suite as a test, on the ground that `open` gives. */
export function runSuite(
  open: () => Promise<{ readonly ground: Ground } & AsyncDisposable>,
  options: { readonly hasNode: boolean },
): void {
  vi.setConfig({ maxConcurrency: AT_ONCE });
  const worlds = new Map<string, World>();
  const stay = new AsyncDisposableStack();

  beforeAll(async () => {
    const { ground } = stay.use(await open());
    const visit = stay.use(new Stay(ground));
    await visit.begin();
    await Promise.all(
      themes.map(async ({ name, needsNode }) => {
        if (options.hasNode || !needsNode) worlds.set(name, await visit.enter(name));
      }),
    );
  }, 120_000);

  afterAll(() => stay.disposeAsync(), 120_000);

  for (const theme of [...themes].sort((a, b) => Number(a.last ?? false) - Number(b.last ?? false))) {
    const skip = theme.needsNode === true && !options.hasNode;
    describe(theme.name, { concurrent: theme.last !== true, skip }, () => {
      for (const [sentence, run] of Object.entries(theme.cases)) {
        test(sentence, { timeout: PATIENCE + 60_000, concurrent: true }, async () => {
          const world = worlds.get(theme.name);
          if (!world) throw new Error(`${theme.name}: no world`);
          await run(world);
        });
      }
    });
  }
}
