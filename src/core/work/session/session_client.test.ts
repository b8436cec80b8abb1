import { describe, expect, test } from "vitest";
import { ScriptedSender } from "../../../kube/testing/scripted_sender.ts";
import { HttpFailure } from "../../../lib/http.ts";
import { SessionClient } from "./session_client.ts";

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("SessionClient", () => {
  test("follows pages to the last one", async () => {
    const sender = new ScriptedSender((_, n) => ({
      body: n === 1 ? { items: [{ id: "a" }, { id: "b" }], next: "b" } : { items: [{ id: "c" }] },
    }));
    const filter = { hostname: "billing", tags: { reason: "night", by: "me" } };
    const found = await all(new SessionClient(sender).snapshots(filter, { pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(sender.requests.map(({ path }) => path)).toEqual([
      "/v1/snapshots?hostname=billing&tag=reason%3Anight&tag=by%3Ame&limit=2",
      "/v1/snapshots?hostname=billing&tag=reason%3Anight&tag=by%3Ame&limit=2&after=b",
    ]);
  });

  test("asks for names as they are, whatever is in them", async () => {
    const sender = new ScriptedSender(() => ({ body: { items: [] } }));
    const client = new SessionClient(sender);
    await all(client.entries("../id", "a folder/ü?&"));
    await client.entry("id", "x");
    await all(client.search("id", { name: "*.txt", path: "a" }));
    expect(sender.requests.map(({ path }) => path)).toEqual([
      "/v1/snapshots/..%2Fid/entries?path=a+folder%2F%C3%BC%3F%26",
      "/v1/snapshots/id/entry?path=x",
      "/v1/snapshots/id/search?name=*.txt&path=a",
    ]);
  });

  test("reads a file piece by piece", async () => {
    const stream = [Buffer.from("one"), Buffer.from("two")];
    const sender = new ScriptedSender(() => ({ stream }));
    expect(Buffer.concat([...(await all(new SessionClient(sender).read("id", "file")))]).toString()).toBe(
      "onetwo",
    );
  });

  test("throws the mover's own failure", async () => {
    const failure = { class: "PathMissing", message: "there is no x", remedy: "look again", detail: "d" };
    const sender = new ScriptedSender(() => ({ status: 404, body: failure }));
    await expect(new SessionClient(sender).entry("id", "x")).rejects.toMatchObject(failure);
  });

  test("says so when what answers is no mover", async () => {
    const sender = new ScriptedSender(() => ({ status: 502, stream: [Buffer.from("<html>")] }));
    await expect(new SessionClient(sender).info()).rejects.toMatchObject({
      class: "EngineFailed",
      message: "the repository session answered with HTTP 502",
    });
  });

  test("a session that does not answer is unreachable, and a cancelled question stays one", async () => {
    const sender = new ScriptedSender(() => {
      throw new HttpFailure("10.0.0.1: refused", { code: "ECONNREFUSED", sent: false });
    });
    await expect(new SessionClient(sender).info()).rejects.toMatchObject({ class: "Unreachable" });
    const reason = new Error("enough");
    await expect(new SessionClient(sender).info({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
