import { expect, test } from "vitest";
import { embeddedOptions, PORT } from "./embedded_options.ts";

const OPTIONS =
  "The options are --no-demo, --once, --port=<port>, --metrics-port=<port> and --demo plumber|autorestore. Nothing was started.";

test("embeddedOptions() has a default for all but metrics", () => {
  expect(embeddedOptions([])).toEqual({ once: false, demo: true, port: PORT });
});

test("embeddedOptions() takes what it is told", () => {
  expect(embeddedOptions(["--once", "--no-demo", "--port=0", "--metrics-port=65535"])).toEqual({
    once: true,
    demo: false,
    port: 0,
    metricsPort: 65535,
  });
});

test("embeddedOptions() takes the name of a demonstration, and no other", () => {
  expect(embeddedOptions(["--demo", "plumber", "--once"])).toMatchObject({
    once: true,
    demo: true,
    demoOf: "plumber",
  });
  expect(embeddedOptions(["--demo", "--once"])).toEqual({ once: true, demo: true, port: PORT });
  expect(() => embeddedOptions(["--demo", "plumbing"])).toThrow(
    '--demo is "plumbing": it must be plumber or autorestore.',
  );
});

test.each(
  ["--port", "--metrics-port"].flatMap((option) =>
    ["many", "", "65536", "-1", "80.5", "0x50", " 80"].map((given) => [option, given] as const),
  ),
)("embeddedOptions() refuses %s=%j", (option, given) => {
  expect(() => embeddedOptions([`${option}=${given}`])).toThrow(
    `${option} is ${JSON.stringify(given)}: it must be a port, up to 65535.\n${OPTIONS}`,
  );
});

test("embeddedOptions() refuses what it does not know", () => {
  expect(() => embeddedOptions(["--no-dmeo"])).toThrow(`Unknown option '--no-dmeo'\n${OPTIONS}`);
});
