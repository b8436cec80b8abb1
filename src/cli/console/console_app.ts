import { type Context, Hono } from "hono";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { CSRF_HEADER, EVENTS, UNATTENDED_HEADER } from "./contract.ts";
import { cookie, cookieIn, cookieName } from "./cookies.ts";
import { fileRoutes } from "./file_routes.ts";
import { foreign, misplaced, needsProof, sameSecret } from "./guard.ts";
import type { LinkToken } from "./link_token.ts";
import { HEADERS } from "./page_headers.ts";
import { Person } from "./person.ts";
import type { ConsolePorts } from "./ports.ts";
import { problemAnswer, SignedOut } from "./problem_answer.ts";
import { protectRoutes } from "./protect_routes.ts";
import { questionRoutes } from "./question_routes.ts";
import { runRoutes } from "./run_routes.ts";
import { signInRoutes } from "./sign_in_routes.ts";
import { type SignIn, SignIns } from "./sign_ins.ts";
import { StaticPage } from "./static_page.ts";
import { LIMITS, type WaysIn } from "./ways_in.ts";

export interface ConsoleOptions {
  readonly ports: ConsolePorts;
  readonly ways: WaysIn;
  /** On loopback: what opens it. */
  readonly link?: LinkToken;
  /** Told when it has been used, and there is another one. */
  readonly onLinkUsed?: () => void;
  /** The folder of the built page. */
  readonly page: string;
  /** Behind TLS: cookies are for it alone. */
  readonly secure: boolean;
  /** The address that people use, where it is known. */
  readonly address?: string | undefined;
  /** On loopback: where it listens. */
  readonly port?: () => number;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

/** What routes find of a request that somebody made who is signed in. */
export interface ConsoleEnv {
  readonly Variables: { signIn: SignIn };
}

export type ConsoleContext = Context<ConsoleEnv>;

/** What all routes share. */
export interface ConsoleParts extends ConsoleOptions {
  readonly signIns: SignIns;
  /** The one person of a console on loopback. */
  readonly loopbackPerson: (signal: AbortSignal) => Promise<Person>;
  readonly cookieOf: (context: ConsoleContext) => string | undefined;
  readonly setCookie: (context: ConsoleContext, signIn: SignIn) => void;
}

/** The console's server: what answers requests, and what ends with it. */
export interface ConsoleApp extends AsyncDisposable {
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Paths below /api that need no sign-in. */
const OPEN = /^\/api\/(session|sign-in|sign-out|oidc\/\w+)$/;

export function consoleApp(options: ConsoleOptions): ConsoleApp {
  const { ports, ways, page, secure } = options;
  const signIns = new SignIns({ clock: ports.clock, random: ports.random, limits: LIMITS[ways.type] });
  const names = () => ({ secure, port: options.port?.() });
  const parts: ConsoleParts = {
    ...options,
    signIns,
    loopbackPerson: onePerson(options),
    cookieOf: ({ req }) => cookieIn(req.header("cookie"), cookieName(names())),
    setCookie: (context, { id }) => context.header("set-cookie", cookie(cookieName(names()), id, { secure })),
  };
  const app = new Hono<ConsoleEnv>();
  app.use("*", async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    if (secure) context.res.headers.set("strict-transport-security", "max-age=31536000");
    if (context.req.path.startsWith("/api/")) context.res.headers.set("cache-control", "no-store");
  });
  app.onError((error, context) => {
    const { status, problem } = problemAnswer(error);
    const signIn = context.get("signIn");
    // What was shown at the sign-in is no longer good.
    if (status === 401 && signIn) void signIns.end(signIn.id);
    // These are opened by people, and not by the page.
    if (context.req.path.startsWith("/api/oidc/"))
      return context.text([problem.message, problem.why, problem.fix].filter(Boolean).join("\n"), status);
    return context.json(problem, status);
  });
  app.use("*", async ({ req }, next) => {
    const place = { loopbackPort: options.port?.(), address: options.address };
    const request = { method: req.method, header: (name: string) => req.header(name) };
    const wrong = misplaced(request, place) ?? (isOwnApi(req.path) ? foreign(request, place) : undefined);
    if (wrong) throw strange(wrong);
    await next();
  });
  app.use("/api/*", async (context, next) => {
    const { req } = context;
    // It would be answered as a GET whose body nobody reads, and so nobody ends.
    if (req.method === "HEAD") return context.body(null, 405, { allow: "GET" });
    const attended = req.header(UNATTENDED_HEADER) === undefined && req.path !== EVENTS;
    const signIn = signIns.find(parts.cookieOf(context), { attended });
    if (signIn) context.set("signIn", signIn);
    if (!signIn && !OPEN.test(req.path)) throw new SignedOut();
    const proof = req.header(CSRF_HEADER) ?? "";
    if (signIn && needsProof(req) && !sameSecret(proof, signIn.csrf))
      throw strange(`the request lacks the header ${CSRF_HEADER} of this sign-in`);
    return await next();
  });
  signInRoutes(app, parts);
  questionRoutes(app, parts);
  fileRoutes(app, parts);
  protectRoutes(app, parts);
  runRoutes(app, parts);
  app.all("/api/*", ({ req }) => {
    throw new CommandProblem(`there is no ${req.method} ${req.path}`, { code: EXIT.notFound });
  });
  const files = new StaticPage(page);
  app.get("*", async ({ req, body, notFound }) => {
    const file = await files.file(req.path, req.header("accept-encoding"));
    return file ? body(file.body, 200, { ...file.headers }) : notFound();
  });
  return {
    fetch: (request) => app.fetch(request),
    [Symbol.asyncDispose]: () => signIns[Symbol.asyncDispose](),
  };
}

/** A provider leads people back here, so that another site asks; what their browser remembers proves who began. */
function isOwnApi(path: string): boolean {
  return path.startsWith("/api/") && path !== "/api/oidc/callback";
}

function strange(why: string): CommandProblem {
  return new CommandProblem("this request is not answered", {
    why,
    fix: "Open the console at its own address.",
    code: EXIT.refused,
  });
}

function onePerson({ ways, ports }: ConsoleOptions): ConsoleParts["loopbackPerson"] {
  let made: Promise<Person> | undefined;
  return async (signal) => {
    if (ways.type !== "loopback") throw new SignedOut();
    const { cluster } = ways;
    if (made && (await made.catch(() => undefined))?.ended !== false) made = undefined;
    made ??= cluster().then((one) => Person.of({ cluster: withoutEnd(one), ports }, signal));
    return await made;
  };
}

/** The command itself ends its connection. */
function withoutEnd<T extends object>({ ...cluster }: T & Partial<Disposable>): T {
  return { ...cluster, [Symbol.dispose]: () => {} } as T;
}
