import { expect, test } from "vitest";
import { HttpFailure, type HttpRequest, readBody } from "../../lib/http.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type LogFields, type Logger, silentLogger } from "../../observe/log.ts";
import { RightsWatch } from "./rights_watch.ts";

const FORBIDDEN = (text: string) => ({ kind: "Status", reason: "Forbidden", code: 403, message: text });
const NO_LIST =
  'pods is forbidden: User "system:serviceaccount:a:b" cannot list resource "pods" in API group ""';

function watch() {
  const answers: { status: number; message: string }[] = [];
  const lines: [string, LogFields][] = [];
  const log: Logger = {
    ...silentLogger,
    info: (fields) => lines.push(["info", fields]),
    error: (fields) => lines.push(["error", fields]),
  };
  const clock = new VirtualClock();
  const sender = new RightsWatch(
    {
      async send() {
        const { status, message } = answers.shift() ?? { status: 200, message: "" };
        const body = Buffer.from(JSON.stringify(status === 200 ? {} : FORBIDDEN(message)));
        return { status, headers: {}, body: [body] as unknown as AsyncIterable<Uint8Array> };
      },
      async connect() {
        const message = 'cannot create resource "pods/exec" in API group "" in the namespace "shop"';
        throw new HttpFailure(`403: ${message}`, { code: "EREFUSED", sent: true });
      },
      close() {},
    },
    { clock, log },
  );
  const ask = (path: string, message?: string, method: HttpRequest["method"] = "GET") => {
    if (message !== undefined) answers.push({ status: 403, message });
    return sender.send({ method, path });
  };
  return { sender, ask, lines, clock };
}

test("RightsWatch keeps what is refused in mind, and passes the answer on", async () => {
  const { sender, ask } = watch();
  const answer = await ask("/api/v1/namespaces/shop/pods", `${NO_LIST} in the namespace "shop"`);
  expect(JSON.parse(String(await readBody(answer.body)))).toMatchObject({ reason: "Forbidden" });
  await ask("/api/v1/namespaces/home/pods", `${NO_LIST} in the namespace "home"`);
  const nodes =
    'nodes "a" is forbidden: User "b" cannot get resource "nodes" in API group "" at the cluster scope';
  await ask("/api/v1/nodes/a", nodes);
  expect(sender.missing).toEqual([
    { verb: "get", group: "", resource: "nodes", namespaces: [] },
    { verb: "list", group: "", resource: "pods", namespaces: ["home", "shop"] },
  ]);
});

test("RightsWatch forgets a right that is there again, where it is there", async () => {
  const { sender, ask, lines } = watch();
  await ask("/api/v1/namespaces/shop/pods", `${NO_LIST} in the namespace "shop"`);
  await ask("/api/v1/namespaces/home/pods", `${NO_LIST} in the namespace "home"`);
  await ask("/api/v1/namespaces/shop/pods/a");
  await ask("/api/v1/namespaces/shop/pods");
  expect(sender.missing).toMatchObject([{ namespaces: ["home"] }]);
  await ask("/api/v1/namespaces/home/pods");
  expect(sender.missing).toEqual([]);
  expect(lines.at(-1)).toEqual(["info", { right: "list pods" }]);
});

test("RightsWatch tells of a right when it is missed first, and every ten minutes while it is", async () => {
  const { ask, lines, clock } = watch();
  const miss = () => ask("/api/v1/namespaces/shop/pods", `${NO_LIST} in the namespace "shop"`);
  await miss();
  await miss();
  expect(lines).toEqual([["error", { right: "list pods", namespace: "shop" }]]);
  await clock.advance(600_000);
  await miss();
  expect(lines).toHaveLength(2);
});

test("RightsWatch takes no other refusal for a missing right", async () => {
  const { sender, ask } = watch();
  await ask(
    "/api/v1/namespaces/a/pods",
    'pods "x" is forbidden: exceeded quota: q, requested: pods=1',
    "POST",
  );
  await ask("/api/v1/namespaces/a/pods", 'pods "x" is forbidden: violates PodSecurity "restricted"', "POST");
  expect(sender.missing).toEqual([]);
});

test("RightsWatch hears of connections that are refused, too", async () => {
  const { sender } = watch();
  const opened = sender.connect({ path: "/api/v1/namespaces/shop/pods/a/exec", protocols: [] });
  await expect(opened).rejects.toThrow("403");
  expect(sender.missing).toMatchObject([{ verb: "create", resource: "pods/exec" }]);
});
