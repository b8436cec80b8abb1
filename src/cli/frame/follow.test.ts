import { describe, expect, test } from "vitest";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../kube/api_error.ts";
import { DeadlineExceeded, sleep } from "../../lib/clock.ts";
import { HttpFailure } from "../../lib/http.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { native } from "../testing/cli_samples.ts";
import { follow } from "./follow.ts";

type Answer = string | Error;

const backup = (phase: string) => native<Backup>("Backup", "b", { status: { phase } });
const reset = new HttpFailure("read ECONNRESET", { code: "ECONNRESET", sent: true });
const api = (code: number, reason: string) =>
  new ApiError({ request: "GET /x", code, status: { reason, message: reason } });

const HOUR = 3_600_000;

/** Answers looks one after the other so, and then always like the last; each watch sees these, or breaks. */
function server(gets: readonly Answer[], watches: readonly (readonly Answer[])[] = []) {
  const [left, streams] = [[...gets], [...watches]];
  return {
    get: async () => {
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer instanceof Error) throw answer;
      return backup(answer ?? "");
    },
    async *watch(_: unknown, { signal }: { signal: AbortSignal }) {
      for (const one of streams.shift() ?? ["forever"]) {
        if (one instanceof Error) throw one;
        if (one === "forever") await unlessAborted(new Promise<never>(() => {}), signal);
        yield one === "gone"
          ? { type: "DELETED", object: backup("Deleting") }
          : { type: "MODIFIED", object: backup(one) };
      }
    },
  };
}

async function followed(
  client: ReturnType<typeof server>,
  { within = HOUR, stop = false, clock = new VirtualClock() } = {},
) {
  const phases: string[] = [];
  const controller = new AbortController();
  const outcome = follow(
    backupResource,
    { namespace: "home", name: "b" },
    {
      client: client as never,
      clock,
      signal: controller.signal,
      look: ({ status }: Backup) => {
        phases.push(status?.phase ?? "");
        return status?.phase === "Succeeded";
      },
    },
  ).then(
    () => "done" as const,
    (error: unknown) => error,
  );
  await clock.advance(within);
  if (stop) controller.abort(new Error("SIGINT"));
  return { ended: await outcome, phases };
}

describe("follow()", () => {
  test("sees every change, and ends with the one that is wanted", async () => {
    expect(await followed(server(["Pending"], [["Running", "Succeeded"]]))).toEqual({
      ended: "done",
      phases: ["Pending", "Running", "Succeeded"],
    });
  });

  test("looks again when a watch ends", async () => {
    expect(await followed(server(["Pending", "Succeeded"], [[]]))).toMatchObject({ ended: "done" });
  });

  test.each<[what: string, error: Error]>([
    ["a connection that is reset", reset],
    ["a server that is silent", new DeadlineExceeded("GET /x took longer than 30 s")],
    ["a history that is too old", api(410, "Expired")],
    ["a server that starts anew", api(503, "ServiceUnavailable")],
    ["a server that is busy", api(429, "TooManyRequests")],
  ])("outlasts %s", async (_, error) => {
    const { ended } = await followed(server(["Pending", error, error, "Succeeded"], [["Running", error]]));
    expect(ended).toBe("done");
  });

  test("gives up when nothing answers for long, and says that the work goes on", async () => {
    const { ended, phases } = await followed(server(["Running", reset], [[reset]]));
    expect(ended).toMatchObject({
      message: "the API server does not answer any more",
      why: "read ECONNRESET",
      fix: expect.stringContaining("It goes on in the cluster: holdfast explain backup/b -n home"),
      code: 5,
    });
    expect(phases).toEqual(["Running"]);
  });

  test("has the same patience after hours in which nothing changed", async () => {
    const clock = new VirtualClock();
    const client = server(["Running", reset, "Succeeded"]);
    const quiet = {
      ...client,
      watch: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => sleep(clock, 2 * HOUR).then(() => Promise.reject(reset)),
        }),
      }),
    };
    expect(await followed(quiet as never, { clock, within: 3 * HOUR })).toMatchObject({ ended: "done" });
  });

  test("does not give up within minutes", async () => {
    const { ended } = await followed(server(["Running", reset], [[reset]]), { within: 290_000, stop: true });
    expect(ended).toMatchObject({ code: 130 });
  });

  test("tells whoever presses Ctrl-C what goes on, how to follow it, and how to cancel it", async () => {
    const { ended } = await followed(server(["Running"]), { stop: true });
    expect(ended).toMatchObject({
      message: "you stopped following Backup b",
      why: "The operator goes on with it in the cluster.",
      fix: "Follow it with: holdfast logs -f backup/b -n home. Cancel it with: holdfast cancel backup/b -n home",
      code: 130,
    });
  });

  test.each<[what: string, error: Error, text: string]>([
    ["a server that refuses", api(403, "Forbidden"), "Forbidden"],
    ["what is no answer at all", new Error("a bug"), "a bug"],
  ])("ends at once with %s", async (_, error, text) => {
    const client = server(["Pending", error, "Succeeded"], [[error]]);
    expect(await followed(client)).toMatchObject({
      ended: { message: expect.stringContaining(text) },
      phases: ["Pending"],
    });
  });

  test.each([
    ["is seen to go", server(["Running"], [["gone"]])],
    ["went meanwhile", server(["Running", api(404, "NotFound")], [[]])],
  ])("says when the object %s", async (_, client) => {
    expect(await followed(client)).toMatchObject({
      ended: { message: "Backup b was deleted while it was waited for", code: 1 },
    });
  });
});
