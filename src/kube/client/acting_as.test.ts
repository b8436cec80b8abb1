import { expect, test } from "vitest";
import type { HttpRequest, HttpSender } from "../../lib/http.ts";
import { actingAs } from "./acting_as.ts";

test("actingAs() says with every request who makes it, and leaves the rest as it is", async () => {
  const sent: HttpRequest[] = [];
  const sender: HttpSender = {
    send: async (request) => {
      sent.push(request);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
    close: () => {},
  };
  const other = actingAs(sender, "jane");
  await other.send({ method: "GET", path: "/x", headers: { accept: "a" } });
  expect(sent).toEqual([{ method: "GET", path: "/x", headers: { accept: "a", "impersonate-user": "jane" } }]);
  expect(other.connect).toBeUndefined();
});
