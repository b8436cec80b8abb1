import { type Clock, deadline } from "../../lib/clock.ts";
import { hmac, sha256 } from "../../lib/hash.ts";
import { type HttpSender, readBody } from "../../lib/http.ts";
import { isRecord } from "../../lib/json.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { sameSecret } from "./guard.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Beside `openid`. */
  readonly scopes: readonly string[];
  /** Where the issuer sends people back to. */
  readonly redirect: string;
}

export interface OidcPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** A way to a server, by its scheme, host and port. */
  readonly reach: (origin: string) => HttpSender;
}

/** What a person shows the API server. */
export interface Shown {
  readonly token: string;
  /** By the wall clock, where it says so. */
  readonly expiresAt?: number | undefined;
}

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
}

/** Somebody who does not come back in this time begins anew, in milliseconds. */
const PATIENCE = 600_000;
/** Of those that came back, so many are remembered, so that none comes back twice. */
const MOST_SPENT = 10_000;
/** How long the issuer may take for an answer, in milliseconds. */
const ANSWER = 10_000;
/** An answer of the issuer's, in bytes. */
const MOST_ANSWER = 2 ** 20;

/** Sign-in at an OpenID provider: authorization code with PKCE. The API server itself checks the token's signature. */
export class Oidc {
  readonly #settings: OidcSettings;
  readonly #ports: OidcPorts;
  /** What sign-ins are made from. They are kept by the browsers that begin them, so that nobody can crowd out another's. */
  readonly #key: string;
  /** Ways back that were taken, and when each was begun; the oldest first. */
  readonly #spent = new Map<string, number>();
  #endpoints: Promise<Endpoints> | undefined;

  constructor(settings: OidcSettings, ports: OidcPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#key = ports.random.hex(32);
  }

  /** Where the person goes, and what their browser shows when they come back. */
  async begin(): Promise<{ readonly location: string; readonly state: string }> {
    const { clock, random } = this.#ports;
    const { authorization } = await this.#found();
    const begun = `${random.hex(32)}${Math.floor(clock.monotonic()).toString(16).padStart(12, "0")}`;
    const state = `${begun}${this.#secret("state", begun)}`;
    const [nonce, verifier] = [this.#secret("nonce", state), this.#secret("verifier", state)];
    const { clientId, scopes, redirect } = this.#settings;
    const location = new URL(authorization);
    const query = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirect,
      scope: ["openid", ...scopes].join(" "),
      state,
      nonce,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(query)) location.searchParams.set(name, value);
    return { location: String(location), state };
  }

  /** `remembered`: what the browser was given when it went. Throws a CommandProblem. */
  async finish(query: URLSearchParams, remembered: string | undefined): Promise<Shown> {
    const state = query.get("state") ?? "";
    if (!sameSecret(remembered ?? "", state) || !this.#spend(state))
      throw refused("this sign-in was not begun here, or too long ago");
    const said = query.get("error_description") ?? query.get("error");
    const code = query.get("code");
    if (said || !code) throw refused(said ?? "the provider sent no code");
    const { token } = await this.#found();
    const { clientId, clientSecret, redirect, issuer } = this.#settings;
    const answer = await this.#json("POST", token, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirect,
      client_id: clientId,
      code_verifier: this.#secret("verifier", state),
      ...(clientSecret ? { client_secret: clientSecret } : {}),
    });
    const idToken = answer.id_token;
    if (typeof idToken !== "string") throw refused("the provider sent no ID token");
    const claims = claimsOf(idToken);
    const wrong = claimsProblem(claims, {
      issuer,
      clientId,
      nonce: this.#secret("nonce", state),
      now: this.#ports.clock.now(),
    });
    if (wrong) throw refused(wrong);
    return { token: idToken, expiresAt: expiryOf(idToken) };
  }

  #secret(what: string, of: string): string {
    return hmac(this.#key, `${what} ${of}`);
  }

  /** Whether a way back was begun here, and not long ago; it is good once. */
  #spend(state: string): boolean {
    const [, begun = "", at = "", seal = ""] = STATE.exec(state) ?? [];
    if (!sameSecret(seal, this.#secret("state", begun))) return false;
    const now = this.#ports.clock.monotonic();
    for (const [spent, since] of this.#spent) {
      if (now - since <= PATIENCE && this.#spent.size < MOST_SPENT) break;
      this.#spent.delete(spent);
    }
    const since = Number.parseInt(at, 16);
    if (now - since > PATIENCE || this.#spent.has(state)) return false;
    this.#spent.set(state, since);
    return true;
  }

  #found(): Promise<Endpoints> {
    this.#endpoints ??= this.#discover().catch((error) => {
      this.#endpoints = undefined;
      throw error;
    });
    return this.#endpoints;
  }

  async #discover(): Promise<Endpoints> {
    const { issuer } = this.#settings;
    const found = await this.#json("GET", `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { issuer: named, authorization_endpoint: authorization, token_endpoint: token } = found;
    if (named !== issuer) throw refused(`the provider calls itself ${String(named)}, and not ${issuer}`);
    if (typeof authorization !== "string" || typeof token !== "string")
      throw refused("the provider does not say where to sign in");
    return { authorization, token };
  }

  async #json(
    method: "GET" | "POST",
    address: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { origin, pathname, search } = new URL(address);
    const sender = this.#ports.reach(origin);
    using patience = deadline(this.#ports.clock, ANSWER, "the answer");
    const { signal } = patience;
    const answered = async () => {
      const { status, body } = await sender.send({
        method,
        path: `${pathname}${search}`,
        headers: {
          accept: "application/json",
          ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
        },
        ...(form ? { body: String(new URLSearchParams(form)) } : {}),
        signal,
      });
      return { status, value: parsed((await readBody(body, MOST_ANSWER)).toString("utf8")) };
    };
    const { status, value } = await unlessAborted(answered(), signal)
      .catch((error: unknown) => {
        throw refused(`the provider at ${origin} does not answer: ${messageOf(error)}`, error);
      })
      .finally(() => sender.close());
    if (status !== 200 || !value)
      throw refused(`the provider answered ${origin}${pathname} with HTTP ${status}`);
    return value;
  }
}

/** What is begun by whom: 256 bits of chance, when, and the seal of both. */
const STATE = /^([0-9a-f]{64}([0-9a-f]{12}))([0-9a-f]{64})$/;

function refused(why: string, cause?: unknown): CommandProblem {
  return new CommandProblem("the sign-in did not work", {
    why,
    cause,
    fix: "Sign in again. If it stays so, whoever runs the console has to look at its settings.",
    code: EXIT.refused,
  });
}

/** What PKCE shows of a secret that only this server knows. */
export function challengeOf(verifier: string): string {
  return Buffer.from(sha256(verifier), "hex").toString("base64url");
}

export interface ExpectedClaims {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: number;
}

/** What is wrong with an ID token, as far as it itself tells; undefined where nothing is. */
export function claimsProblem(
  claims: Readonly<Record<string, unknown>> | undefined,
  { issuer, clientId, nonce, now }: ExpectedClaims,
): string | undefined {
  if (!claims) return "the ID token cannot be read";
  const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (claims.iss !== issuer) return "the ID token is of another provider";
  if (!audience.includes(clientId)) return "the ID token is for another program";
  if (claims.nonce !== nonce) return "the ID token is of another sign-in";
  if (typeof claims.exp !== "number" || claims.exp * 1000 <= now) return "the ID token has expired";
  return undefined;
}

/** When a token expires, where it is one that says so. */
export function expiryOf(token: string): number | undefined {
  const exp = claimsOf(token)?.exp;
  return typeof exp === "number" ? exp * 1000 : undefined;
}

/** The namespace of the ServiceAccount that a token is of: where its holder most likely has rights. */
export function namespaceOf(token: string): string | undefined {
  const own = claimsOf(token)?.["kubernetes.io"];
  return isRecord(own) && typeof own.namespace === "string" ? own.namespace : undefined;
}

/** What a token says of itself. Nobody's word for it: the API server checks it. */
function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload = ""] = token.split(".");
  return parsed(Buffer.from(payload, "base64url").toString("utf8"));
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
