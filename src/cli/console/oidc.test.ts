import { beforeEach, describe, expect, test } from "vitest";
import type { HttpRequest, HttpSender } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { challengeOf, claimsProblem, expiryOf, namespaceOf, Oidc } from "./oidc.ts";

const ISSUER = "https://id.example.com/realm";
const settings = {
  issuer: ISSUER,
  clientId: "holdfast",
  clientSecret: "s3cret",
  scopes: ["email"],
  redirect: "https://backups.example.com/api/oidc/callback",
};
const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;

let clock: VirtualClock;
let asked: HttpRequest[];
let claims: object;
let discovery: object;
let oidc: Oidc;
/** What the provider's silence waits for. */
let silence: Promise<void> | undefined;

beforeEach(() => {
  clock = new VirtualClock();
  asked = [];
  silence = undefined;
  discovery = {
    issuer: ISSUER,
    authorization_endpoint: "https://id.example.com/auth?kind=x",
    token_endpoint: "https://id.example.com/token",
  };
  const reach = (origin: string): HttpSender => ({
    close() {},
    send: async (request) => {
      asked.push({ ...request, path: `${origin}${request.path}` });
      await silence;
      const value = request.method === "GET" ? discovery : { id_token: tokenOf(claims) };
      const body = (async function* () {
        yield Buffer.from(JSON.stringify(value));
      })();
      return { status: 200, headers: {}, body };
    },
  });
  oidc = new Oidc(settings, { clock, random: seededRandom(1), reach });
});

async function begun() {
  const { location, state } = await oidc.begin();
  const query = new URL(location).searchParams;
  claims = {
    iss: ISSUER,
    aud: "holdfast",
    nonce: query.get("nonce"),
    exp: clock.now() / 1000 + 300,
    sub: "me",
  };
  return { location, state, query };
}

const back = (state: string, more: object = {}) => new URLSearchParams({ code: "c0de", state, ...more });

test("a sign-in goes to the provider and comes back with a token", async () => {
  const { location, state, query } = await begun();
  expect(location).toMatch(/^https:\/\/id\.example\.com\/auth\?kind=x&/);
  expect(Object.fromEntries(query)).toMatchObject({
    response_type: "code",
    client_id: "holdfast",
    redirect_uri: settings.redirect,
    scope: "openid email",
    state,
    code_challenge_method: "S256",
  });
  const shown = await oidc.finish(back(state), state);
  expect(shown).toEqual({ token: tokenOf(claims), expiresAt: clock.now() + 300_000 });
  const form = new URLSearchParams(String(asked.at(-1)?.body));
  expect(asked.at(-1)?.path).toBe("https://id.example.com/token");
  expect(Object.fromEntries(form)).toMatchObject({ code: "c0de", client_secret: "s3cret" });
  expect(challengeOf(form.get("code_verifier") ?? "")).toBe(query.get("code_challenge"));
});

describe("a way back is refused", () => {
  test("a second time", async () => {
    const { state } = await begun();
    await oidc.finish(back(state), state);
    await expect(oidc.finish(back(state), state)).rejects.toMatchObject({
      why: "this sign-in was not begun here, or too long ago",
    });
  });

  test("in a browser that did not begin it", async () => {
    for (const remembered of [undefined, "", "another"]) {
      const { state } = await begun();
      await expect(oidc.finish(back(state), remembered)).rejects.toMatchObject({
        why: "this sign-in was not begun here, or too long ago",
      });
    }
    expect(asked.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("after ten minutes", async () => {
    const { state } = await begun();
    await clock.advance(600_001);
    await expect(oidc.finish(back(state), state)).rejects.toMatchObject({
      why: "this sign-in was not begun here, or too long ago",
    });
  });

  test("where the provider said no", async () => {
    const { state } = await begun();
    const query = back(state, { error: "access_denied", error_description: "you may not" });
    await expect(oidc.finish(query, state)).rejects.toMatchObject({ why: "you may not" });
  });

  test("with the token of another sign-in", async () => {
    const { state } = await begun();
    claims = { ...claims, nonce: "another" };
    await expect(oidc.finish(back(state), state)).rejects.toMatchObject({
      why: "the ID token is of another sign-in",
    });
  });
});

test("whoever begins sign-ins without an end crowds out nobody's", async () => {
  const { state } = await begun();
  const mine = claims;
  for (let i = 0; i < 3000; i++) await oidc.begin();
  claims = mine;
  expect(await oidc.finish(back(state), state)).toMatchObject({ token: tokenOf(mine) });
});

test("a way back that somebody made up is refused, also where the browser shows the same", async () => {
  const { state } = await begun();
  const other = state.startsWith("0") ? "1" : "0";
  for (const made of [`${other}${state.slice(1)}`, `${state.slice(0, -1)}g`, "0".repeat(140), "x", ""])
    await expect(oidc.finish(back(made), made)).rejects.toMatchObject({
      why: "this sign-in was not begun here, or too long ago",
    });
  expect(asked.filter(({ method }) => method === "POST")).toEqual([]);
});

test("a provider that does not answer is given up, and asked anew by the next", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  silence = promise;
  const first = oidc.begin();
  const failed = expect(first).rejects.toMatchObject({
    why: "the provider at https://id.example.com does not answer: the answer took longer than 10 s",
  });
  await clock.advance(10_000);
  await failed;
  expect(asked[0]?.signal?.aborted).toBe(true);
  silence = undefined;
  resolve();
  expect((await oidc.begin()).location).toMatch(/^https:/);
});

test("a provider that calls itself otherwise is not asked", async () => {
  discovery = { ...discovery, issuer: "https://evil.example.com" };
  await expect(oidc.begin()).rejects.toMatchObject({
    why: `the provider calls itself https://evil.example.com, and not ${ISSUER}`,
  });
});

test.each([
  [{}, undefined],
  [{ aud: ["other", "holdfast"] }, undefined],
  [{ iss: "https://evil.example.com" }, "the ID token is of another provider"],
  [{ aud: "other" }, "the ID token is for another program"],
  [{ aud: undefined }, "the ID token is for another program"],
  [{ nonce: "m" }, "the ID token is of another sign-in"],
  [{ nonce: undefined }, "the ID token is of another sign-in"],
  [{ exp: 1000 }, "the ID token has expired"],
  [{ exp: undefined }, "the ID token has expired"],
])("an ID token with %j: %j", (more, why) => {
  const good = { iss: ISSUER, aud: "holdfast", nonce: "n", exp: 1001, ...more };
  const expected = { issuer: ISSUER, clientId: "holdfast", nonce: "n", now: 1_000_000 };
  expect(claimsProblem(good, expected)).toBe(why);
});

test.each([
  [tokenOf({ "kubernetes.io": { namespace: "home" } }), "home"],
  [tokenOf({ "kubernetes.io": "home" }), undefined],
  [tokenOf({}), undefined],
  ["opaque", undefined],
])("the token %s is of the namespace %s", (token, namespace) => {
  expect(namespaceOf(token)).toBe(namespace);
});

test.each([
  [tokenOf({ exp: 5 }), 5000],
  [tokenOf({}), undefined],
  ["opaque", undefined],
  ["a.b.c", undefined],
])("the token %s expires at %s", (token, at) => {
  expect(expiryOf(token)).toBe(at);
});
