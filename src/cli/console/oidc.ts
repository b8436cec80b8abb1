import type { Clock } from "../../lib/clock.ts";
import { sha256 } from "../../lib/hash.ts";
import { type HttpSender, readBody } from "../../lib/http.ts";
import { isRecord } from "../../lib/json.ts";
import type { Random } from "../../lib/random.ts";
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

interface Begun {
  readonly nonce: string;
  readonly verifier: string;
  readonly at: number;
}

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
}

/** Somebody who does not come back in this time begins anew, in milliseconds. */
const PATIENCE = 600_000;
const MOST_BEGUN = 1000;
/** An answer of the issuer's, in bytes. */
const MOST_ANSWER = 2 ** 20;

/** Sign-in at an OpenID provider: authorization code with PKCE. The API server itself checks the token's signature. */
export class Oidc {
  readonly #settings: OidcSettings;
  readonly #ports: OidcPorts;
  readonly #begun = new Map<string, Begun>();
  #endpoints: Promise<Endpoints> | undefined;

  constructor(settings: OidcSettings, ports: OidcPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Where the person goes, and what their browser shows when they come back. */
  async begin(): Promise<{ readonly location: string; readonly state: string }> {
    const { clock, random } = this.#ports;
    const { authorization } = await this.#found();
    const [state, nonce, verifier] = [random.hex(32), random.hex(32), random.hex(32)];
    for (const [known, { at }] of this.#begun)
      if (clock.monotonic() - at > PATIENCE || this.#begun.size >= MOST_BEGUN) this.#begun.delete(known);
    this.#begun.set(state, { nonce, verifier, at: clock.monotonic() });
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
    const begun = this.#begun.get(state);
    this.#begun.delete(state);
    const late = begun && this.#ports.clock.monotonic() - begun.at > PATIENCE;
    if (!begun || late || !sameSecret(remembered ?? "", state))
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
      code_verifier: begun.verifier,
      ...(clientSecret ? { client_secret: clientSecret } : {}),
    });
    const idToken = answer.id_token;
    if (typeof idToken !== "string") throw refused("the provider sent no ID token");
    const claims = claimsOf(idToken);
    const wrong = claimsProblem(claims, {
      issuer,
      clientId,
      nonce: begun.nonce,
      now: this.#ports.clock.now(),
    });
    if (wrong) throw refused(wrong);
    return { token: idToken, expiresAt: expiryOf(idToken) };
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
    const response = await this.#ports.reach(origin).send({
      method,
      path: `${pathname}${search}`,
      headers: {
        accept: "application/json",
        ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      ...(form ? { body: String(new URLSearchParams(form)) } : {}),
    });
    const text = (await readBody(response.body, MOST_ANSWER)).toString("utf8");
    const value = parsed(text);
    if (response.status !== 200 || !value)
      throw refused(`the provider answered ${origin}${pathname} with HTTP ${response.status}`);
    return value;
  }
}

function refused(why: string): CommandProblem {
  return new CommandProblem("the sign-in did not work", {
    why,
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
