import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { LogOptions } from "../../kube/client/pod_client.ts";
import { HttpFailure } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import { ReportFollower } from "./report_follower.ts";
import { runningPod, sampleResult } from "./testing/samples.ts";

const log = (message: string) => `${JSON.stringify({ log: { level: "info", message } })}\n`;
const progress = (files: number) =>
  `${JSON.stringify({ progress: { version: 1, step: "snapshot", files } })}\n`;
const resultLine = `${JSON.stringify({ result: sampleResult() })}\n`;

/** Each connection plays a list of chunks, then ends, breaks, or stays. */
type Connection = readonly (string | Error | "stay")[];

function following(...connections: readonly Connection[]) {
  const clock = new VirtualClock();
  const asked: LogOptions[] = [];
  let news = 0;
  const logs = {
    async *logs(_: unknown, options: LogOptions): AsyncIterable<Uint8Array> {
      asked.push(options);
      for (const item of connections[asked.length - 1] ?? []) {
        if (item instanceof Error) throw item;
        if (item === "stay") {
          await new Promise((_, reject) =>
            options.signal.addEventListener("abort", () => reject(options.signal.reason), { once: true }),
          );
        } else yield Buffer.from(item);
      }
    },
  };
  const follower = new ReportFollower(runningPod(), {
    logs,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    onNews: () => news++,
  });
  return { clock, asked, follower, news: () => news };
}

const broken = () => new HttpFailure("reset", { code: "ECONNRESET", sent: true });
const refused = (code: number) =>
  new ApiError({ request: "logs", code, status: { reason: code === 404 ? "NotFound" : "BadRequest" } });

describe("follow()", () => {
  test("hears progress, lines and the result, cut wherever the chunks are", async () => {
    const text = log("begun") + progress(3) + resultLine;
    const { clock, follower, asked, news } = following([
      text.slice(0, 20),
      text.slice(20, 90),
      text.slice(90),
    ]);
    follower.follow();
    follower.follow();
    await clock.advance(60_000);
    expect(follower.heard).toEqual({
      progress: { version: 1, step: "snapshot", files: 3 },
      result: sampleResult(),
      logTail: ["begun"],
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ container: "mover", follow: true });
    expect(news()).toBe(2);
  });

  test("goes on after a broken connection, and hears nothing twice", async () => {
    const { clock, follower, asked } = following(
      [log("one"), log("two"), broken()],
      [refused(400)],
      [log("one"), log("two"), log("three"), resultLine],
    );
    follower.follow();
    await clock.advance(60_000);
    expect(follower.heard.logTail).toEqual(["one", "two", "three"]);
    expect(follower.heard.result).toEqual(sampleResult());
    expect(asked.map(({ tailLines }) => tailLines)).toEqual([undefined, 200, 200]);
  });

  test("goes on when the connection ends politely without a result", async () => {
    const { clock, follower, asked } = following([log("one")], [log("one"), resultLine]);
    follower.follow();
    await clock.advance(60_000);
    expect(follower.heard.result).toBeDefined();
    expect(asked).toHaveLength(2);
  });

  test("ends with the pod", async () => {
    const { clock, follower, asked } = following([log("one"), broken()], [refused(404)]);
    follower.follow();
    await clock.advance(600_000);
    expect(asked).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  test("ends when it is stopped, and leaves no timer behind", async () => {
    const { clock, follower, asked } = following([log("one"), log("two"), "stay"]);
    follower.follow();
    await clock.advance(1_000);
    follower.stop();
    await clock.advance(600_000);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  test("does not keep a line that has no end", async () => {
    const { clock, follower } = following([`x${"y".repeat(3 * 2 ** 20)}`, "\n", resultLine]);
    follower.follow();
    await clock.advance(60_000);
    expect(follower.heard.result).toBeDefined();
    expect(Buffer.byteLength(follower.heard.logTail.join(""))).toBeLessThan(2048);
  });
});

describe("collect()", () => {
  test("reads the end of the log once, after an absence", async () => {
    const { follower, asked, news } = following([log("last words"), resultLine]);
    expect(await follower.collect()).toEqual({ result: sampleResult(), logTail: ["last words"] });
    await follower.collect();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ tailLines: 200 });
    expect(asked[0]).not.toHaveProperty("follow");
    expect(news()).toBe(0);
  });

  test("reads nothing when the result was heard", async () => {
    const { clock, follower, asked } = following([resultLine]);
    follower.follow();
    await clock.advance(1_000);
    await follower.collect();
    expect(asked).toHaveLength(1);
  });

  test("is content with what there is when the log is gone", async () => {
    const { follower } = following([refused(404)]);
    expect(await follower.collect()).toEqual({ logTail: [] });
  });

  test("does not wait for a node that does not answer", async () => {
    const { clock, follower } = following(["stay"]);
    const collected = follower.collect();
    await clock.advance(10_000);
    expect(await collected).toEqual({ logTail: [] });
  });

  test("ends with the caller's signal", async () => {
    const { follower } = following(["stay"]);
    const stop = new AbortController();
    const collected = follower.collect(stop.signal);
    stop.abort(new Error("told to"));
    await expect(collected).rejects.toThrow("told to");
  });
});
