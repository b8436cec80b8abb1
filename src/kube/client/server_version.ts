import { type HttpSender, readBody } from "../../lib/http.ts";
import { isRecord } from "../../lib/json.ts";

/** The version of Kubernetes that an API server is of. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** As it calls itself, such as `v1.37.1`. */
  readonly text: string;
}

const LIMIT = 64 * 1024;

/** Asks an API server for its version, which everybody may. Undefined when its answer names none. */
export async function serverVersion(
  sender: Pick<HttpSender, "send">,
  signal: AbortSignal,
): Promise<ServerVersion | undefined> {
  const { status, body } = await sender.send({
    method: "GET",
    path: "/version",
    headers: { accept: "application/json" },
    signal,
  });
  const text = (await readBody(body, LIMIT)).toString("utf8");
  if (status !== 200) return undefined;
  return versionIn(text);
}

function versionIn(text: string): ServerVersion | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(answer) || typeof answer.gitVersion !== "string") return undefined;
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(answer.gitVersion) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), text: answer.gitVersion };
}
