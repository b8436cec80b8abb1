import { expect, test } from "vitest";
import { Interrupted } from "./errors.mjs";
import { createProgress } from "./progress.mjs";

function fakeScreen({ live }: { live: boolean }) {
  const screen = {
    text: "",
    time: 0,
    ticking: new Set<() => void>(),
    interval: 0,
    live,
    out: {
      write(text: string) {
        screen.text += text;
      },
    },
    now: () => screen.time,
    every(ms: number, callback: () => void) {
      screen.interval = ms;
      screen.ticking.add(callback);
      return () => void screen.ticking.delete(callback);
    },
    tick() {
      screen.time += screen.interval;
      for (const callback of screen.ticking) callback();
    },
  };
  return screen;
}

test("step() writes one line with its seconds to a log, after a sign of life every 30 s", async () => {
  const screen = fakeScreen({ live: false });
  const result = await createProgress(screen).step("building kopia 0.22.3", async () => {
    screen.tick();
    screen.tick();
    screen.time += 36_000;
    return "built";
  });
  expect(result).toBe("built");
  expect(screen.text).toBe(
    "building kopia 0.22.3 … 30 s so far\nbuilding kopia 0.22.3 … 60 s so far\nbuilding kopia 0.22.3 … 96 s\n",
  );
  expect(screen.ticking.size).toBe(0);
});

test("step() counts the seconds in place on a terminal", async () => {
  const screen = fakeScreen({ live: true });
  await createProgress(screen).step("npm ci", async () => screen.tick());
  expect(screen.text).toBe("\r\x1b[Knpm ci … 0 s\r\x1b[Knpm ci … 1 s\r\x1b[Knpm ci … 1 s\n");
});

test.each([
  [new Error("broken"), "npm ci … failed after 0 s\n"],
  [new Interrupted("SIGINT"), "npm ci … interrupted after 0 s\n"],
])("step() tells how the work ended, and passes the error on: %s", async (error, line) => {
  const screen = fakeScreen({ live: false });
  await expect(createProgress(screen).step("npm ci", () => Promise.reject(error))).rejects.toBe(error);
  expect(screen.text).toBe(line);
  expect(screen.ticking.size).toBe(0);
});
