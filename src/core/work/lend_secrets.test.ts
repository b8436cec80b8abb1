import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { Secret } from "../../kube/builtin.ts";
import type { Reader } from "../../kube/client.ts";
import { keyOf, type ObjectName } from "../../kube/object.ts";
import { lendSecrets } from "./lend_secrets.ts";
import type { RunSecrets } from "./run_secrets.ts";
import { sampleRequest } from "./testing/samples.ts";

const platform = (name: string) => ({ namespace: "platform", name });
const base64 = (text: string) => Buffer.from(text).toString("base64");

const SECRETS: RunSecrets = {
  password: { lent: platform("password"), key: "value" },
  credentials: [
    {
      lent: platform("keys"),
      items: [
        { key: "value", as: "AWS_ACCESS_KEY_ID" },
        { key: "token", as: "AWS_SESSION_TOKEN", optional: true },
      ],
    },
    { secret: "own", items: [{ key: "value", as: "AWS_SECRET_ACCESS_KEY" }] },
  ],
};

function lend(stored: Readonly<Record<string, Readonly<Record<string, string>> | number>>) {
  const read: string[] = [];
  const get = async (_: unknown, name: ObjectName) => {
    read.push(keyOf(name));
    const data = stored[name.name] ?? 404;
    if (typeof data === "number") {
      const status = { reason: data === 404 ? "NotFound" : "Forbidden", message: "m" };
      throw new ApiError({ request: "get", code: data, status });
    }
    return {
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    } as Secret;
  };
  const lender = lendSecrets({ get } as unknown as Pick<Reader, "get">);
  return { read, lent: lender({ ...sampleRequest, secrets: SECRETS }) };
}

describe("lendSecrets()", () => {
  test("reads what is to be lent, once each, and nothing else", async () => {
    const { read, lent } = lend({ password: { value: "p" }, keys: { value: "k", other: "o" } });
    expect(await lent).toEqual({ password: "p", AWS_ACCESS_KEY_ID: "k" });
    expect(read).toEqual(["platform/password", "platform/keys"]);
  });

  test("hands over what may be missing, where it is there", async () => {
    const { lent } = lend({ password: { value: "p" }, keys: { value: "k", token: "t" } });
    expect(await lent).toMatchObject({ AWS_SESSION_TOKEN: "t" });
  });

  test.each([
    [
      "a Secret that is not there",
      { keys: { value: "k" } },
      "SecretMissing",
      "The Secret platform/password, which the run is to be lent, does not exist. Create it, or correct the repository.",
    ],
    [
      "a key that is not there",
      { password: { value: "p" }, keys: {} },
      "SecretMissing",
      "The key value of Secret platform/keys, which the run is to be lent, does not exist. Add it to the Secret.",
    ],
    [
      "a Secret that may not be read",
      { password: 403 },
      "LendingForbidden",
      "The run needs Secret platform/password, which the operator may not read. Let its ServiceAccount get Secrets there, or switch lending off.",
    ],
  ])("says of %s what to do", async (_, stored, reason, message) => {
    await expect(lend(stored).lent).rejects.toMatchObject({ class: "structural", reason, message });
  });
});
