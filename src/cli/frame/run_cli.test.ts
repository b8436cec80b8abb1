import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import { KubeconfigError } from "../../kube/config/kubeconfig.ts";
import { DeadlineExceeded } from "../../lib/clock.ts";
import { HttpFailure, UpgradeRefused } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { CommandSpec, Run } from "./command.ts";
import { EXIT } from "./exit_codes.ts";
import { CommandProblem } from "./problem.ts";
import { runCli } from "./run_cli.ts";
import { paintFor } from "./terminal.ts";

async function ended(run: Run, argv = ["do"], signal = new AbortController().signal) {
  const [out, err]: [string[], string[]] = [[], []];
  const command: CommandSpec = { name: "do", summary: "does it", load: async () => run };
  const code = await runCli({
    argv,
    commands: [command],
    terminal: {
      out: { write: (text) => out.push(String(text)) },
      err: { write: (text) => err.push(String(text)) },
    },
    clock: new VirtualClock(),
    random: seededRandom(1),
    signal,
    env: {},
    version: "1.2.3",
    connect: () => Promise.reject(new KubeconfigError("no file")),
    sessionRequest: () => Promise.reject(new Error("not asked for")),
    operatorRules: () => Promise.reject(new Error("not asked for")),
    views: () => Promise.reject(new Error("not asked for")),
  });
  return { code, out: out.join(""), err: err.join("") };
}

const api = (code: number, reason: string, message: string) =>
  new ApiError({ request: "GET /x", code, status: { reason, message } });

const reset = new HttpFailure("ECONNRESET", { code: "ECONNRESET", sent: true });
/** A session that nobody is let into, as its sender and its client pass it on. */
const kept = (status: number) => {
  const refusal = new UpgradeRefused(status, JSON.stringify({ message: "you may not exec" }), undefined);
  const failure = new HttpFailure(refusal.message, { code: "ECONNRESET", sent: true, cause: refusal });
  return new EngineError("Unreachable", `the repository session does not answer: ${failure.message}`, {
    cause: failure,
  });
};

describe("runCli()", () => {
  test("ends as the command says", async () => {
    const told: Run = async ({ out }) => {
      out("hello");
      return EXIT.done;
    };
    expect(await ended(told)).toEqual({ code: 0, out: "hello\n", err: "" });
  });

  test("shows nothing that a terminal takes as an order, whoever wrote it", async () => {
    const told: Run = async ({ out, paint, progress }) => {
      out(`${paint("bad", "a")}\u001b[2J`);
      progress.line("b\u001b]0;c\u0007");
      return EXIT.done;
    };
    expect(await ended(told)).toEqual({ code: 0, out: "a\ufffd[2J\n", err: "b\ufffd]0;c\ufffd\n" });
  });

  test("shows help", async () => {
    expect((await ended(async () => EXIT.failed, [])).out).toContain("does it");
  });

  test.each<[error: unknown, code: number, text: RegExp]>([
    [
      new CommandProblem("it broke", { why: "rust", fix: "oil" }),
      1,
      /^error: it broke\n {2}why: rust\n {2}fix: oil\n$/,
    ],
    [new Error("bare"), 1, /^error: bare\n$/],
    [api(404, "NotFound", 'backups "x" not found'), 3, /backups "x" not found\n {2}fix: /],
    [api(404, "NotFound", "the server could not find the requested resource"), 3, /does not have the kinds/],
    [
      api(403, "Forbidden", "user may not list"),
      4,
      /you may not do that\n {2}why: user may not list\n {2}fix: /,
    ],
    [api(401, "Unauthorized", "who?"), 4, /^error: Unauthorized/],
    [
      api(403, "Forbidden", 'admission webhook "validate.x" denied the request: Annotate the namespace.'),
      4,
      /^error: the cluster refuses it\n {2}why: Annotate the namespace\.\n$/,
    ],
    [
      api(409, "AlreadyExists", 'backups "b1" already exists'),
      2,
      /^error: backups "b1" already exists\n {2}fix: Choose/,
    ],
    [api(422, "Invalid", "spec.x: too long"), 4, /refused\n {2}why: spec\.x: too long/],
    [
      new HttpFailure("ECONNREFUSED", { code: "ECONNREFUSED", sent: false }),
      5,
      /does not answer\n.*\n {2}fix: /,
    ],
    [
      new EngineError("PathMissing", "there is no letters/anna", { remedy: "Look with ls." }),
      3,
      /^error: there is no letters\/anna\n {2}fix: Look with ls\.\n$/,
    ],
    [
      new EngineError("Full", "no room", { detail: "ENOSPC" }),
      1,
      /^error: no room\n {2}why: ENOSPC\n {2}fix: /,
    ],
    [kept(403), 4, /you may not do that\n {2}why: you may not exec\n {2}fix: /],
    [kept(401), 4, /^error: Unauthorized/],
    [kept(404), 1, /^error: the repository session does not answer: /],
    [kept(500), 1, /^error: the repository session does not answer: /],
    [
      new EngineError("Unreachable", "the repository session does not answer", { cause: reset }),
      1,
      /^error: the repository session does not answer\n/,
    ],
    [new CommandProblem("\u001b[2Jgone", { why: "x\ry" }), 1, /^error: \ufffd\[2Jgone\n {2}why: x\ufffdy\n$/],
    [new DeadlineExceeded("GET /x took longer than 30 s"), 5, /does not answer\n {2}why: GET \/x took/],
  ])("explains %s", async (error, code, text) => {
    const outcome = await ended(() => Promise.reject(error));
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toMatch(text);
  });

  test("without a way to a cluster, says how to name one", async () => {
    const outcome = await ended(async ({ cluster }) => {
      await cluster();
      return EXIT.done;
    });
    expect(outcome).toMatchObject({ code: 5, err: expect.stringContaining("--kubeconfig") });
  });

  test("after Ctrl-C nothing is explained", async () => {
    const outcome = await ended(() => Promise.reject(new Error("aborted")), ["do"], AbortSignal.abort());
    expect(outcome).toEqual({ code: 130, out: "", err: "" });
    const goesOn = new CommandProblem("you stopped", { fix: "holdfast cancel x", code: EXIT.interrupted });
    expect(await ended(() => Promise.reject(goesOn), ["do"], AbortSignal.abort())).toEqual({
      code: 130,
      out: "",
      err: "you stopped\n  fix: holdfast cancel x\n",
    });
  });
});

test.each([
  [{ isTTY: true }, {}, "\u001b[31mno\u001b[0m"],
  [{ isTTY: true }, { NO_COLOR: "1" }, "no"],
  [{ isTTY: true }, { TERM: "dumb" }, "no"],
  [{}, {}, "no"],
])("colours are for terminals: %j %j", (output, env, text) => {
  expect(paintFor({ ...output, write: () => {} }, env)("bad", "no")).toBe(text);
});
