import { describe, expect, test } from "vitest";
import type { ExecOptions, ExecResult } from "../../../kube/client/pod_client.ts";
import type { Reader } from "../../../kube/client.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { HttpFailure } from "../../../lib/http.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { runExec } from "./run_exec.ts";

type Run = (pod: string, options: ExecOptions) => Promise<ExecResult>;

const pods = ["db-0", "db-1"].map((name) => ({
  metadata: { name, namespace: "billing" },
  spec: { containers: [{ name: "db" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
}));
const done = { exitCode: 0, message: "" };

function running(run: Run, signal = new AbortController().signal) {
  const clock = new VirtualClock();
  const asked: object[] = [];
  const client = {
    list: async (_: unknown, options: object) => {
      asked.push(options);
      return { items: pods };
    },
  } as unknown as Pick<Reader, "list">;
  const exec = ({ name }: ObjectName, options: ExecOptions) => run(name, options);
  const selector = { matchLabels: { app: "db" } };
  const action = { selector, pods: "All", command: ["freeze", "now"], repeatable: false } as const;
  const order = { namespace: "billing", action, timeout: 5000, signal };
  return { clock, asked, result: runExec({ client, pods: { exec }, clock }, order) };
}

const untilAborted: Run = (_, { signal, onStdout }) => {
  onStdout?.(Buffer.from("half way\n"));
  return new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
};

describe("a command in pods", () => {
  test("runs in one after the other, found by their labels", async () => {
    const ran: string[] = [];
    const { result, asked } = running(async (pod, { command, container }) => {
      ran.push(`${pod}/${container}: ${command.join(" ")}`);
      return done;
    });
    expect(await result).toEqual({ ok: true });
    expect(ran).toEqual(["db-0/db: freeze now", "db-1/db: freeze now"]);
    expect(asked).toMatchObject([{ namespace: "billing", labelSelector: "app=db" }]);
  });

  test("ends with the first failure, and tells where, how, and its last words", async () => {
    const ran: string[] = [];
    const { result } = running(async (pod, { onStdout, onStderr }) => {
      ran.push(pod);
      onStdout?.(Buffer.from(`${"x".repeat(3000)}\ntrying\n`));
      onStderr?.(Buffer.from("no\u0007 space\n"));
      return { exitCode: 3, message: "" };
    });
    const { message } = (await result) as { message: string };
    expect(message).toMatch(
      /^exit code 3 in container db of pod billing\/db-0\. Its last words: …x+ \| trying \| no\? space$/,
    );
    expect(message.length).toBeLessThan(400);
    expect(ran).toEqual(["db-0"]);
  });

  test("that hangs ends with its time, and tells where it hung", async () => {
    const { clock, result } = running(untilAborted);
    await clock.advance(5000);
    expect(await result).toEqual({
      ok: false,
      message:
        "it did not end within 5 s in container db of pod billing/db-0, where it may still run. Its last words: half way",
    });
  });

  test.each<[string, Error, string]>([
    ["that cannot be run", new Error("not found"), ": not found"],
    ["that is refused", new HttpFailure("no", { code: "HTTP403", sent: true }), ": no"],
    ["that was not sent", new HttpFailure("no", { code: "ECONNREFUSED", sent: false }), ": no"],
    [
      "of which nothing is heard",
      new HttpFailure("no answer", { code: "ESILENT", sent: true }),
      ", where it may still run: no answer",
    ],
  ])("%s fails with the reason", async (_, error, words) => {
    const { result } = running(() => Promise.reject(error));
    expect(await result).toEqual({ ok: false, message: `in container db of pod billing/db-0${words}` });
  });
});
