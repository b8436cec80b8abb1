import { expect, test } from "vitest";
import type { PodVolumeCommand } from "../wire/pod_volume_args.ts";
import type { WorkSpec } from "../wire/work.ts";
import { commandedSpec, commandOf, logOf, wantsDebug } from "./pod_volume_command.ts";

const identity = { username: "u", hostname: "h", path: "p" };
const spec: WorkSpec = {
  version: 1,
  run: "r1",
  engine: "kopia",
  repository: { backend: { filesystem: { path: "/r" } } },
  work: { snapshot: { sources: [{ name: "volume", path: "/elsewhere", identity }] } },
};
const restoring: WorkSpec = { ...spec, work: { restore: { snapshot: { id: "a" }, target: "/elsewhere" } } };
const command: PodVolumeCommand = {
  direction: "backup",
  volumePath: "/v",
  name: "n",
  resourceTimeoutSeconds: 1,
  logFormat: "text",
  logLevel: "info",
};

test("the volume is where the command line says", () => {
  expect(commandedSpec(spec, command).work).toEqual({
    snapshot: { sources: [{ name: "volume", path: "/v", identity }] },
  });
  expect(commandedSpec(restoring, { ...command, direction: "restore" }).work).toEqual({
    restore: { snapshot: { id: "a" }, target: "/v" },
  });
});

test("a command line that is not of the work spec is refused", () => {
  expect(() => commandedSpec(restoring, command)).toThrow(
    "the command line asks for pod-volume backup, and the work spec for restore",
  );
});

test("a mover without a command line has the work spec alone", () => {
  expect(commandOf()).toEqual({ ok: true, value: undefined });
  expect(wantsDebug([])).toBe(false);
});

test("the engine's words are for the level debug", () => {
  const args = ["pod-volume", "backup", "--volume-path=/v", "--pod-volume-backup=n"];
  expect([wantsDebug(args), wantsDebug([...args, "--log-level=trace"])]).toEqual([false, true]);
});

test("a line of the log is text where that is asked for", () => {
  const { level, format } = logOf(command);
  expect(level).toBe("info");
  expect(format?.({ level: "warn", message: 'no "cache"' }, 0)).toBe(
    'time="1970-01-01T00:00:00.000Z" level=warn msg="no \\"cache\\""',
  );
  expect(logOf({ ...command, logFormat: "json" })).toEqual({ level: "info" });
});
