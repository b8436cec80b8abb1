import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { CAPABILITIES, type EngineName } from "../../wire/capabilities.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { WorkSpec } from "../../wire/work.ts";
import { Reporter } from "../report/reporter.ts";
import { FakeRepository } from "../testing/fake_engine.ts";
import { releaseLocks } from "./release_locks.ts";

const spec: WorkSpec = {
  version: 1,
  run: "r2",
  engine: "restic",
  repository: { backend: { filesystem: { path: "/r" } } },
  endedRuns: ["r1"],
  work: { catalog: {} },
};

/** The hosts that were said to be gone, and what was logged. */
async function released(work: WorkSpec, engine: EngineName, unlock = async () => 1) {
  const lines: string[] = [];
  const asked: unknown[] = [];
  const repository = new FakeRepository();
  repository.unlock = (options) => {
    asked.push((options as { readonly gone?: unknown } | undefined)?.gone);
    return unlock();
  };
  const context = {
    run: work.run,
    endedRuns: [],
    repository,
    capabilities: CAPABILITIES[engine],
    signal: new AbortController().signal,
    reporter: new Reporter({ clock: new VirtualClock(), write: (line) => void lines.push(line) }),
    keep: () => {},
    warn: () => {},
    openDestination: async () => repository,
    serve: async () => 0,
  };
  await releaseLocks(context, work);
  return { asked, lines: lines.join("") };
}

describe("releaseLocks()", () => {
  test("removes what ended runs had locked", async () => {
    const { asked, lines } = await released(spec, "restic");
    expect(asked).toEqual([["r1"]]);
    expect(lines).toContain("removed 1 locks that earlier runs had left");
  });

  const { endedRuns: _, ...first } = spec;
  test.each<[string, WorkSpec, EngineName]>([
    ["a first run", first, "restic"],
    ["an engine without locks", spec, "kopia"],
    [
      "a repository that is only read",
      { ...spec, repository: { ...spec.repository, readOnly: true } },
      "restic",
    ],
  ])("asks nothing of %s", async (_name, work, engine) => {
    expect((await released(work, engine)).asked).toEqual([]);
  });

  test("lets the work begin when the locks cannot be removed", async () => {
    const refuse = () => Promise.reject(new EngineError("Forbidden", "not allowed"));
    expect((await released(spec, "restic", refuse)).lines).toContain("could not be removed: not allowed");
  });
});
