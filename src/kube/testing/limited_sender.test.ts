import { expect, test } from "vitest";
import { readBody } from "../../lib/http.ts";
import type { GrantedRules } from "../policy_rules.ts";
import { LimitedSender } from "./limited_sender.ts";

const RULES: GrantedRules = {
  cluster: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
  home: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] }],
};

test("LimitedSender refuses what no rule grants, and remembers it", async () => {
  const sent: string[] = [];
  const sender = new LimitedSender(
    {
      async send({ path }) {
        sent.push(path);
        return { status: 200, headers: {}, body: (async function* () {})() };
      },
      close() {},
    },
    { rules: RULES, home: "home" },
  );
  const status = async (path: string) => (await sender.send({ method: "GET", path })).status;
  expect(await status("/api/v1/namespaces/shop/pods")).toBe(200);
  expect(await status("/api/v1/namespaces/home/secrets/mine")).toBe(200);
  expect(await status("/api/v1/namespaces/home/secrets/other")).toBe(403);
  expect(await status("/api/v1/namespaces/shop/secrets/mine")).toBe(403);
  const refused = await sender.send({ method: "GET", path: "/api/v1/nodes" });
  expect(JSON.parse(String(await readBody(refused.body)))).toMatchObject({ reason: "Forbidden" });
  expect(sent).toHaveLength(2);
  expect([...sender.refused]).toEqual(["cannot get secrets", "cannot list nodes without a namespace"]);
  expect([...sender.used]).toEqual(["list pods", "get secrets"]);
});
