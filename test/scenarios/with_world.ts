import { afterAll, beforeAll } from "vitest";

/** Opens a world before the tests around this call, tells of it, and closes it after them. */
export function withWorld<W extends AsyncDisposable>(
  open: () => Promise<W>,
  opened: (world: W) => unknown,
): void {
  let world: W | undefined;

  beforeAll(async () => {
    world = await open();
    await opened(world);
  }, 300_000);

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  }, 300_000);
}
