import { describe, expect, test } from "vitest";
import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import { KubeconfigError } from "../../kube/config/kubeconfig.ts";
import { seededRandom } from "../../lib/random.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { COMMANDS } from "../commands.ts";
import type { Call } from "../frame/command.ts";
import { Given } from "../frame/given.ts";
import { runCli } from "../frame/run_cli.ts";
import { Screen } from "../screen.ts";
import { condition, native } from "../testing/cli_samples.ts";
import { asked } from "./maintenance_run.ts";

describe("maintenance run --mode full-immediate", () => {
  const ended = async (line: string) => {
    const err: string[] = [];
    const code = await runCli({
      argv: line.split(" "),
      commands: COMMANDS,
      terminal: { out: { write: () => {} }, err: { write: (text) => err.push(String(text)) } },
      clock: new VirtualClock(),
      random: seededRandom(1),
      signal: new AbortController().signal,
      env: {},
      version: "1.2.3",
      connect: () => Promise.reject(new KubeconfigError("no file")),
      sessionRequest: () => Promise.reject(new Error("not asked for")),
      operatorRules: () => Promise.reject(new Error("not asked for")),
      views: () => Promise.reject(new Error("not asked for")),
    });
    return { code, err: err.join("") };
  };

  test("warns, and does nothing before somebody says yes", async () => {
    const { code, err } = await ended("maintenance run nas --mode full-immediate");
    expect(code).toBe(6);
    expect(err).toContain("can be DESTROYED");
  });

  test("goes on to the cluster with --yes; other modes ask nothing", async () => {
    expect((await ended("maintenance run nas --mode full-immediate --yes")).code).toBe(5);
    expect((await ended("maintenance run nas --mode full")).code).toBe(5);
  });
});

describe("a request to a Maintenance that stood still before", () => {
  const stood = condition("Stalled", "True", "Denied", "it may not");
  const of = (status: object) => native<Maintenance>("Maintenance", "m", { spec: {}, status });

  /** Asks, and shows these states of the object one after the other. */
  async function answer(later: (request: string) => readonly Maintenance[]) {
    const clock = new VirtualClock();
    let request = "";
    const client = {
      patch: async (_: unknown, _name: unknown, { patch }: { patch: Maintenance }) => {
        request = Object.values(patch.metadata.annotations ?? {})[0] ?? "";
        return of({ conditions: [stood] });
      },
      get: async () => of({ conditions: [stood] }),
      async *watch(_: unknown, { signal }: { signal: AbortSignal }) {
        for (const object of later(request)) yield { type: "MODIFIED", object };
        await unlessAborted(new Promise<never>(() => {}), signal);
      },
    };
    const call = {
      given: new Given(["maintenance/m"], {}),
      clock,
      random: seededRandom(1),
      signal: new AbortController().signal,
      out: () => {},
      progress: new Screen({ write: () => {} }),
      cluster: async () => ({ client, namespace: "home" }),
    } as unknown as Call;
    const outcome = asked(call, "quick").then(
      (run) => run?.ended.status?.phase ?? "",
      (error: Error) => error.message,
    );
    await clock.advance(60_000);
    return outcome;
  }

  test("is followed to its end when it is taken up", async () => {
    const taken = (handledRunRequest: string) => [
      of({ phase: "Running", handledRunRequest }),
      of({ phase: "Ready", handledRunRequest }),
    ];
    expect(await answer(taken)).toBe("Ready");
  });

  test("fails when it stands still for another reason", async () => {
    const other = of({ phase: "Failed", conditions: [condition("Stalled", "True", "Other", "y")] });
    expect(await answer(() => [other])).toBe("maintenance/m is Failed");
  });

  test("fails in the end when nobody takes it up", async () => {
    expect(await answer(() => [])).toContain("maintenance/m is");
  });
});
