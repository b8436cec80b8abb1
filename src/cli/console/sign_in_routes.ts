import type { Hono } from "hono";
import { Namespaces } from "../../kube/builtin.ts";
import { resourceName } from "../../kube/resource.ts";
import { isRecord } from "../../lib/json.ts";
import { explainedError } from "../frame/explained_error.ts";
import { misuse } from "../frame/problem.ts";
import type { ConsoleContext, ConsoleEnv, ConsoleParts } from "./console_app.ts";
import { OIDC_START, type Session } from "./contract.ts";
import { cookie, cookieIn, cookieName } from "./cookies.ts";
import { expiryOf, type Shown } from "./oidc.ts";
import { Person } from "./person.ts";
import { SignedOut } from "./problem_answer.ts";
import type { SignIn } from "./sign_ins.ts";
import { visible } from "./volume_detail.ts";

/** Longer than any token of a cluster. */
const MOST_TOKEN = 16_384;

/** Who looks, and how they sign in and out. */
export function signInRoutes(app: Hono<ConsoleEnv>, parts: ConsoleParts): void {
  const { ways, link, signIns, ports, setCookie } = parts;

  app.get("/api/session", async (context) => context.json(await sessionOf(context, parts)));

  app.get("/", async (context, next) => {
    const token = context.req.query("token");
    if (token === undefined) return await next();
    // A link that was used leads to the page, which says how to sign in.
    if (signIns.find(parts.cookieOf(context)) || !link?.spend(token)) return context.html(onwards("/"));
    parts.onLinkUsed?.();
    const signIn = await signIns.begin(await parts.loopbackPerson(parts.signal));
    ports.log.info({ user: signIn.person.user, way: "loopback" }, "signed in");
    setCookie(context, signIn);
    return context.html(onwards("/"));
  });

  app.post("/api/sign-in", async (context) => {
    if (ways.type !== "cluster") throw misuse("the link that holdfast console printed is the way in");
    const said: unknown = await context.req.json().catch(() => undefined);
    const token = isRecord(said) && typeof said.token === "string" ? said.token.trim() : "";
    if (token === "" || token.length > MOST_TOKEN || /[^\x21-\x7e]/.test(token))
      throw misuse(
        "there is no token",
        "Paste a bearer token of the cluster, as kubectl create token prints.",
      );
    const signIn = await toldWhenRefused(parts, "token", () =>
      signedIn(parts, { token, expiresAt: expiryOf(token) }, "token"),
    );
    await endBefore(context, parts);
    setCookie(context, signIn);
    return context.json(await sessionFor(signIn, parts));
  });

  app.post("/api/sign-out", async (context) => {
    const signIn = context.get("signIn");
    if (signIn) {
      ports.log.info({ user: signIn.person.user }, "signed out");
      await signIns.end(signIn.id);
    }
    return context.json(await sessionOf(undefined, parts));
  });

  app.get(OIDC_START, async (context) => {
    if (ways.type !== "cluster" || !ways.oidc) throw misuse("there is no provider to sign in at");
    const { location, state } = await ways.oidc.begin();
    // The way back comes from the provider's page, so that the browser does not show then who it was before.
    const before = context.get("signIn");
    if (before) signIns.leadsTo(before.id, state);
    const name = cookieName({ secure: parts.secure }, "state");
    context.header("set-cookie", cookie(name, state, { secure: parts.secure, lax: true, seconds: 600 }));
    return context.redirect(location, 302);
  });

  app.get("/api/oidc/callback", async (context) => {
    if (ways.type !== "cluster" || !ways.oidc) throw misuse("there is no provider to sign in at");
    const { oidc } = ways;
    const { req } = context;
    const remembered = cookieIn(req.header("cookie"), cookieName({ secure: parts.secure }, "state"));
    const signIn = await toldWhenRefused(parts, "oidc", async () => {
      const shown = await oidc.finish(new URL(req.url).searchParams, remembered);
      return await signedIn(parts, shown, "oidc");
    });
    if (remembered) await signIns.endBefore(remembered);
    setCookie(context, signIn);
    return context.html(onwards("/"));
  });
}

async function signedIn(
  { ways, signIns, ports, signal }: ConsoleParts,
  { token, expiresAt }: Shown,
  way: string,
): Promise<SignIn> {
  if (ways.type !== "cluster") throw new SignedOut();
  const cluster = await ways.connect(token);
  try {
    const person = await Person.of({ cluster, ports }, signal);
    const signIn = await signIns.begin(person, expiresAt);
    ports.log.info({ user: person.user, way }, "signed in");
    return signIn;
  } catch (error) {
    cluster[Symbol.dispose]?.();
    throw error;
  }
}

/** Whoever tries tokens leaves a trace; what they tried is never in it. */
async function toldWhenRefused<T>(
  { ports }: ConsoleParts,
  way: string,
  signingIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signingIn();
  } catch (error) {
    ports.log.warn({ way, message: explainedError(error).message }, "a sign-in was refused");
    throw error;
  }
}

/** Whoever signs in again is no longer who they were. */
async function endBefore(context: ConsoleContext, { signIns }: ConsoleParts): Promise<void> {
  const before = context.get("signIn");
  if (before) await signIns.end(before.id);
}

function sessionOf(context: ConsoleContext | undefined, parts: ConsoleParts): Promise<Session> {
  return sessionFor(context?.get("signIn"), parts);
}

async function sessionFor(
  signIn: SignIn | undefined,
  { ways, ports, signal }: ConsoleParts,
): Promise<Session> {
  const base = { signIn: waysIn(ways), version: ports.version };
  if (!signIn) return base;
  const { person, csrf } = signIn;
  const { client, server } = person.cluster;
  const namespaces = await visible(client.metadata.list(Namespaces, { signal }));
  return {
    ...base,
    user: person.user,
    csrf,
    server,
    ...(person.home === undefined ? {} : { namespace: person.home }),
    ...(namespaces ? { namespaces: namespaces.items.map(({ metadata }) => metadata.name).toSorted() } : {}),
    apis: await servedApis(person, ports.views, signal),
  };
}

function waysIn(ways: ConsoleParts["ways"]): Session["signIn"] {
  if (ways.type === "loopback") return ["loopback"];
  return ways.oidc ? ["oidc", "token"] : ["token"];
}

async function servedApis(
  { cluster }: Person,
  views: ConsoleParts["ports"]["views"],
  signal: AbortSignal,
): Promise<NonNullable<Session["apis"]>> {
  const apis = (await views()).map(async ({ api, kinds }) => {
    const [first] = kinds;
    if (first && !(await cluster.client.serves(first.resource, { signal }))) return [];
    const shown = kinds.map(({ word, resource }) => ({
      word,
      kind: resource.kind,
      resource: resourceName(resource),
    }));
    return [{ api, kinds: shown }];
  });
  return (await Promise.all(apis)).flat();
}

/** A page that leads on: what is set here is sent with that step, wherever the person came from. */
function onwards(path: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${path}"><title>Holdfast</title><p><a href="${path}">Go on</a>`;
}
