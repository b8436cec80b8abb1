import { expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import type { ServiceAccount } from "../../kube/builtin.ts";
import { type RecordedCall, RecordingClient } from "../../kube/testing/recording_client.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { type MoverAccount, MoverAccounts, underAccount } from "./mover_accounts.ts";
import { sampleRequest } from "./testing/samples.ts";

const refusal = (code: number, reason: string) =>
  new ApiError({ request: "…", code, status: { code, reason, message: `${reason}!` } });
const own = (...pullSecrets: readonly string[]): MoverAccount => ({ type: "own", pullSecrets });
const OURS = { "app.kubernetes.io/managed-by": "holdfast" };

interface WorldOptions {
  readonly account?: MoverAccount;
  readonly present?: Partial<ServiceAccount>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly refuse?: (call: RecordedCall) => void;
}

function world({ account = own(), present, labels = OURS, refuse = () => {} }: WorldOptions = {}) {
  const clock = new VirtualClock();
  const warned: string[] = [];
  const log: Logger = { ...silentLogger, warn: (_, message) => warned.push(message) };
  const metadata = { namespace: "shop", name: "holdfast-mover", labels, resourceVersion: "7" };
  const client = new RecordingClient((call) => {
    refuse(call);
    if (call.verb === "get" && !present) throw refusal(404, "NotFound");
    return { metadata, ...present };
  });
  const accounts = new MoverAccounts({ client, clock, log, account });
  return { accounts, client, clock, warned, did: () => client.calls.map(({ verb }) => verb) };
}

test("the account is made where it is missing: ours, without a token, and with the pull secrets", async () => {
  const { accounts, client } = world({ account: own("mirror") });
  expect(await accounts.in("shop")).toBe("holdfast-mover");
  expect(client.writes).toMatchObject([
    {
      verb: "create",
      resource: { kind: "ServiceAccount" },
      body: {
        metadata: { namespace: "shop", name: "holdfast-mover", labels: OURS },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: "mirror" }],
      },
    },
  ]);
});

test("one that is there is left as it is, and not asked for again at once", async () => {
  const { accounts, clock, did } = world({ present: {} });
  await accounts.in("shop");
  expect(await accounts.in("shop")).toBe("holdfast-mover");
  expect(did()).toEqual(["get"]);
  await accounts.in("office");
  expect(did()).toEqual(["get", "get"]);
  await clock.advance(60_000);
  await accounts.in("shop");
  expect(did()).toHaveLength(3);
});

test("one that went with its namespace is made again as soon as it is missed", async () => {
  const { accounts, did } = world();
  await accounts.in("shop");
  expect(await accounts.again("shop")).toBe("holdfast-mover");
  expect(did()).toEqual(["get", "create", "get", "create"]);
  await accounts.in("shop");
  expect(did()).toHaveLength(4);
});

test("a pull secret that is new is added, and what others have added stays", async () => {
  const present = { imagePullSecrets: [{ name: "theirs" }, { name: "old" }] };
  const { accounts, client } = world({ account: own("old", "new"), present });
  expect(await accounts.in("shop")).toBe("holdfast-mover");
  expect(client.writes).toMatchObject([
    {
      verb: "patch",
      body: {
        type: "merge",
        patch: {
          metadata: { resourceVersion: "7" },
          imagePullSecrets: [{ name: "theirs" }, { name: "old" }, { name: "new" }],
        },
      },
    },
  ]);
});

test("one of that name that somebody else has made is not changed", async () => {
  const { accounts, client } = world({ account: own("mirror"), present: {}, labels: {} });
  expect(await accounts.in("shop")).toBe("holdfast-mover");
  expect(client.writes).toEqual([]);
});

test.each([
  ["create", refusal(409, "AlreadyExists"), undefined],
  ["patch", refusal(409, "Conflict"), {}],
] as const)("whoever is quicker with %s is no reason to stop", async (slow, error, present) => {
  const refuse = ({ verb }: RecordedCall) => {
    if (verb === slow) throw error;
  };
  const { accounts, warned } = world({ account: own("mirror"), refuse, ...(present ? { present } : {}) });
  expect(await accounts.in("shop")).toBe("holdfast-mover");
  expect(warned).toEqual([]);
});

test.each(["get", "create"])(
  "without the right to %s it, the default one has to do, with a word",
  async (no) => {
    const refuse = ({ verb }: RecordedCall) => {
      if (verb === no) throw refusal(403, "Forbidden");
    };
    const { accounts, warned } = world({ refuse });
    expect(await accounts.in("shop")).toBeUndefined();
    expect(await accounts.in("shop")).toBeUndefined();
    expect(warned).toEqual([expect.stringContaining("they run under the namespace's default one")]);
  },
);

test("any other failure is told, and not taken for the account", async () => {
  let away = true;
  const { accounts } = world({
    refuse: () => {
      if (away) throw refusal(503, "ServiceUnavailable");
    },
  });
  await expect(accounts.in("shop")).rejects.toThrow(/ServiceUnavailable/);
  away = false;
  expect(await accounts.in("shop")).toBe("holdfast-mover");
});

test("one that is given is neither looked for nor made", async () => {
  const { accounts, client } = world({ account: { type: "given", name: "movers" } });
  expect(await accounts.in("shop")).toBe("movers");
  expect(client.calls).toEqual([]);
});

test("underAccount() leaves a request alone that names an account, or for which there is none", async () => {
  const accounts = { in: async () => "holdfast-mover" };
  const named = { ...sampleRequest, mover: { ...sampleRequest.mover, serviceAccountName: "other" } };
  expect((await underAccount(sampleRequest, accounts, {})).mover.serviceAccountName).toBe("holdfast-mover");
  expect(await underAccount(named, accounts, {})).toEqual(named);
  expect(await underAccount(sampleRequest, undefined, {})).toBe(sampleRequest);
  expect(await underAccount(sampleRequest, { in: async () => undefined }, {})).toBe(sampleRequest);
});
