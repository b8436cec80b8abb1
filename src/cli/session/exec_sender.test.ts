import { expect, test } from "vitest";
import type { PodClient } from "../../kube/client/pod_client.ts";
import { HttpFailure, readBody } from "../../lib/http.ts";
import { ExecSender } from "./exec_sender.ts";

const signal = new AbortController().signal;
const pod = { namespace: "home", name: "session" };

/** A pod whose command says this, and then ends, or breaks off. */
function sender(said: string, end: "ends" | "breaks" | "hangs"): ExecSender {
  const exec: PodClient["exec"] = async (_, options) => {
    await options.onStdout?.(Buffer.from(said));
    if (end === "hangs")
      await new Promise((_, reject) =>
        options.signal.addEventListener("abort", () => reject(new Error("cut off")), { once: true }),
      );
    if (end === "breaks") throw new Error("the pod is gone");
    return { exitCode: 0, message: "" } as Awaited<ReturnType<PodClient["exec"]>>;
  };
  return new ExecSender({ pods: { exec }, pod, port: 1, signal });
}

const ask = (from: ExecSender, asked = signal) =>
  from.send({ method: "GET", path: "/v1/repository", signal: asked });

test("an answer is its status and its body", async () => {
  const { status, body } = await ask(sender("200\nhello", "ends"));
  expect([status, (await readBody(body)).toString()]).toEqual([200, "hello"]);
});

test("a pod that is gone gave no answer", async () => {
  await expect(ask(sender("", "breaks"))).rejects.toBeInstanceOf(HttpFailure);
  const { body } = await ask(sender("200\nhel", "breaks"));
  await expect(readBody(body)).rejects.toBeInstanceOf(HttpFailure);
});

test("whoever goes away while it is asked says nothing of the session", async () => {
  for (const said of ["", "200\nhel"]) {
    const gone = new AbortController();
    const answer = ask(sender(said, "hangs"), gone.signal).then(({ body }) => readBody(body));
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort(new Error("gone"));
    await expect(answer).rejects.toThrow("gone");
    await expect(answer).rejects.not.toBeInstanceOf(HttpFailure);
  }
});
