import { afterAll, beforeAll, describe, test, vi } from "vitest";
import { systemRandom } from "../../../src/lib/random.ts";
import { themes } from "../themes.ts";
import { type Ground, Stay, type World } from "./world.ts";

/** Cases at once: most of their time is waiting for controllers. */
const AT_ONCE = 24;

/**
 * Every case of the suite as a test, on the ground that `open` gives. `retry`: how often a case that fails is tried
 * again, in a namespace of its own. Default 0.
 */
export function runSuite(
  open: () => Promise<{ readonly ground: Ground } & AsyncDisposable>,
  options: { readonly hasNode: boolean; readonly retry?: number },
): void {
  vi.setConfig({ maxConcurrency: AT_ONCE });
  const worlds = new Map<string, World>();
  const stay = new AsyncDisposableStack();
  let visit: Stay | undefined;

  beforeAll(async () => {
    const { ground } = stay.use(await open());
    const begun = stay.use(new Stay(ground));
    await begun.begin();
    await Promise.all(
      themes.map(async ({ name, needsNode }) => {
        if (options.hasNode || !needsNode) worlds.set(name, await begun.enter(name));
      }),
    );
    visit = begun;
  }, 120_000);

  afterAll(() => stay.disposeAsync(), 120_000);

  for (const theme of [...themes].sort((a, b) => Number(a.last ?? false) - Number(b.last ?? false))) {
    const skip = theme.needsNode === true && !options.hasNode;
    describe(theme.name, { concurrent: theme.last !== true, skip }, () => {
      for (const [sentence, run] of Object.entries(theme.cases)) {
        let tries = 0;
        test(sentence, { timeout: 60_000, concurrent: true, retry: options.retry ?? 0 }, async () => {
          const again = tries++ > 0;
          const world = again ? await visit?.enter(`again ${systemRandom.hex(3)}`) : worlds.get(theme.name);
          if (!world) throw new Error(`${theme.name}: no world`);
          await run(world);
        });
      }
    });
  }
}
