import { describe, expect, test } from "vitest";
import type { GuardedAnswer, GuardedRequest } from "../../lib/guarded_request.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { HOOK_REQUEST, type HookRequest } from "../../wire/hook_request.ts";
import { sendHook } from "./send_hook.ts";

const request: HookRequest = {
  version: 1,
  url: "https://hooks.example.com/freeze",
  method: "POST",
  headers: [
    { name: "x-plain", value: "1" },
    { name: "x-token", valueFrom: "TOKEN" },
  ],
  body: "{}",
  timeout: 5000,
  allowLocal: false,
  insecure: false,
};

function sending(
  answer: (request: GuardedRequest) => Promise<GuardedAnswer>,
  env: Readonly<Record<string, string>> = { TOKEN: "open sesame\n" },
  more: Partial<HookRequest> = {},
) {
  const clock = new VirtualClock();
  const said: string[] = [];
  const code = sendHook({
    env: { [HOOK_REQUEST]: JSON.stringify({ ...request, ...more }), ...env },
    clock,
    send: answer,
    write: (line) => said.push(line),
    signal: new AbortController().signal,
  });
  return { clock, said, code };
}

describe("sendHook()", () => {
  test("sends the request, with headers whose values only the pod has", async () => {
    const sent: GuardedRequest[] = [];
    const { code, said } = sending(
      async (one) => {
        sent.push(one);
        return { status: 204, body: "" };
      },
      { TOKEN: "open sesame\n", CA: "pem" },
      { caFrom: "CA" },
    );
    expect(await code).toBe(0);
    expect(sent).toMatchObject([
      {
        url: request.url,
        method: "POST",
        headers: { "x-plain": "1", "x-token": "open sesame" },
        body: "{}",
        allowLocal: false,
        ca: "pem",
      },
    ]);
    expect(said.join("")).toBe("POST https://hooks.example.com/freeze: HTTP 204\n");
  });

  test.each([302, 404, 500])("HTTP %i is a failure, and the answer says more", async (status) => {
    const { code, said } = sending(async () => ({ status, body: "not now" }));
    expect(await code).toBe(1);
    expect(said.join("")).toBe(`POST https://hooks.example.com/freeze: HTTP ${status}. not now\n`);
  });

  test("a server that does not answer in time is a failure", async () => {
    const { code, said, clock } = sending(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut")))),
    );
    await clock.advance(5000);
    expect(await code).toBe(1);
    expect(said.join("")).toContain("took longer than 5 s");
  });

  test("without its secret nothing is sent", async () => {
    const { code, said } = sending(async () => ({ status: 200, body: "" }), {});
    expect(await code).toBe(1);
    expect(said.join("")).toContain("the variable TOKEN is not set");
  });
});
