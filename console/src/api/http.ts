import { CSRF_HEADER, type Problem, UNATTENDED_HEADER } from "../../../src/cli/console/contract.ts";
import { isAttended } from "./attendance.ts";

/** A failure, told as the server told it. */
export class ApiProblem extends Error implements Problem {
  readonly status: number;
  readonly why: string | undefined;
  readonly fix: string | undefined;

  constructor(status: number, { message, why, fix }: Problem) {
    super(message);
    this.status = status;
    this.why = why;
    this.fix = fix;
  }
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** Goes out with every POST; the session's answer brings it. */
let csrf = "";
export function setCsrf(token: string | undefined): void {
  csrf = token ?? "";
}

/** An address of the API with a query; what is undefined or empty is left out. */
export function apiPath(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return `/api/${path}${text === "" ? "" : `?${text}`}`;
}

export async function getJson<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return (await answered(apiPath(path, params), { signal: signal ?? null })).json() as Promise<T>;
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  return (await posted(path, body)).json() as Promise<T>;
}

/** A POST whose answer is read by the caller. */
export function posted(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return answered(apiPath(path), {
    method: "POST",
    headers: { "content-type": "application/json", [CSRF_HEADER]: csrf },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function answered(address: string, request: RequestInit): Promise<Response> {
  const headers = { ...request.headers, ...(isAttended() ? {} : { [UNATTENDED_HEADER]: "1" }) };
  const response = await fetch(address, { credentials: "same-origin", ...request, headers }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new ApiProblem(0, {
        message: "The console's server does not answer",
        why: error instanceof Error ? error.message : String(error),
        fix: "Check that `holdfast console` still runs. The page tries again by itself.",
      });
    },
  );
  if (response.ok) return response;
  throw new ApiProblem(response.status, await problemOf(response));
}

async function problemOf(response: Response): Promise<Problem> {
  const said: unknown = await response.json().catch(() => undefined);
  if (typeof said === "object" && said !== null && "message" in said && typeof said.message === "string")
    return said as Problem;
  return { message: `The console's server answered ${response.status} ${response.statusText}`.trim() };
}
