import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../tools/cluster/free_port.ts";
import { HoldfastHome } from "./holdfast_home.ts";

/* What `npm start` tells of itself to those who look after it. */

let home: HoldfastHome;
beforeEach(() => {
  home = new HoldfastHome();
});
afterEach(() => home[Symbol.asyncDispose]());

test("npm start refuses a port for metrics that is none", async () => {
  const { output, exit } = home.run("--metrics-port=many");
  expect(await exit).toBe(2);
  expect(output.join("\n")).toMatch(/^--metrics-port is "many": it must be a port/);
});

test("npm start serves metrics, health and a look inside on loopback, where it is asked to", async () => {
  const port = await freePort();
  await home.start(`--metrics-port=${port}`);
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  expect(await ask("/healthz")).toEqual({ status: 200, text: "ok\n" });
  expect(await ask("/readyz?verbose")).toMatchObject({
    status: 200,
    text: expect.stringMatching(/\[\+\]webhooks ok\n.*\[\+\]cache\/backups.kopiur.*readyz check passed/s),
  });
  const { text } = await ask("/metrics");
  for (const line of ["holdfast_leader 1", 'holdfast_queue_depth{queue="kopiur-backup"} 0'])
    expect(text).toContain(`\n${line}`);
  expect(text).toMatch(
    /\nholdfast_api_requests_total\{verb="watch",resource="backups.kopiur[^}]*code="200"\} 1/,
  );
  expect(JSON.parse((await ask("/debug")).text)).toMatchObject({ lease: { leads: true }, queues: {} });
});
