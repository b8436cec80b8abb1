import { expect } from "vitest";
import type { Answer, Body } from "./api.ts";

/** The object of an answer that must have this code. */
export function taken(answer: Answer, code?: number): Body {
  const fine = code === undefined ? answer.code >= 200 && answer.code < 300 : answer.code === code;
  if (!fine) expect.fail(`expected ${code ?? "success"}, got ${answer.code}: ${answer.text}`);
  return answer.body;
}

/** The answer is this refusal, in the form of a Status; a few have no reason. */
export function refused(
  answer: Answer,
  code: number,
  reason: string | undefined,
  message: string | RegExp,
): Body {
  expect({ code: answer.code, reason: answer.body.reason, message: answer.body.message }).toEqual({
    code,
    reason,
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });
  expect(answer.body).toMatchObject({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    metadata: {},
  });
  expect(answer.headers["content-type"]).toBe("application/json");
  return answer.body;
}

/** The names in a list. */
export function names(answer: Answer): string[] {
  return taken(answer, 200).items.map((item) => item.metadata.name);
}

/** The condition of this type. */
export function condition(object: Body, type: string): Readonly<Record<string, string>> | undefined {
  const conditions = object.status?.conditions as readonly Readonly<Record<string, string>>[] | undefined;
  return conditions?.find((one) => one.type === type);
}
