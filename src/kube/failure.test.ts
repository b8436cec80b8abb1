import { describe, expect, test } from "vitest";
import { DeadlineExceeded } from "../lib/clock.ts";
import { HttpFailure } from "../lib/http.ts";
import { ApiError, ApplyConflict } from "./api_error.ts";
import { Failure, judge } from "./failure.ts";

const api = (code: number, reason = "", retryAfter?: number) =>
  new ApiError({ request: "PUT /x", code, status: { reason, message: "no" }, retryAfter });

describe("judge()", () => {
  test.each([
    [
      "a transient failure",
      new Failure("transient", "RepositoryDown", "m"),
      "transient",
      "RepositoryDown",
      30_000,
    ],
    ["a structural failure", new Failure("structural", "NoClass", "m"), "structural", "NoClass", 300_000],
    ["a terminal failure", new Failure("terminal", "BadCron", "m"), "terminal", "BadCron", undefined],
    ["a write of an old version", api(409, "Conflict"), "conflict", "Conflict", 50],
    ["a create of what is there", api(409, "AlreadyExists"), "conflict", "AlreadyExists", 50],
    [
      "a field that another manager owns",
      new ApplyConflict({ request: "PATCH /x", code: 409, status: { reason: "Conflict" } }),
      "structural",
      "ApplyConflict",
      300_000,
    ],
    ["an expired token", api(401, "Unauthorized"), "transient", "Unauthorized", 1_000],
    ["a missing permission", api(403, "Forbidden"), "structural", "Forbidden", 300_000],
    ["something that is not there", api(404, "NotFound"), "transient", "NotFound", 1_000],
    ["a refused object", api(422, "Invalid"), "structural", "Invalid", 300_000],
    ["a broken API server", api(500), "transient", "Http500", 1_000],
    [
      "no connection",
      new HttpFailure("reset", { code: "ECONNRESET", sent: true }),
      "transient",
      "Unreachable",
      1_000,
    ],
    ["a reconcile that took too long", new DeadlineExceeded("m"), "transient", "DeadlineExceeded", 30_000],
    ["a mistake in the program", new TypeError("x is undefined"), "transient", "Unexpected", 30_000],
    ["whatever else is thrown", "a string", "transient", "Unexpected", 30_000],
  ])("%s", (_, error, failureClass, reason, base) => {
    const verdict = judge(error);
    expect([verdict.class, verdict.reason, verdict.retry?.base]).toEqual([failureClass, reason, base]);
  });

  test("a busy API server is given the time that it asked for", () => {
    expect(judge(api(429, "TooManyRequests", 7_000)).atLeast).toBe(7_000);
  });

  test("the message is the error's own", () => {
    expect(judge(api(403, "Forbidden")).message).toBe("PUT /x: no");
  });
});
