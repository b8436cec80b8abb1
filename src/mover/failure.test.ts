import { describe, expect, test } from "vitest";
import { DeadlineExceeded } from "../lib/clock.ts";
import { EngineError } from "../wire/engine_error.ts";
import { endingOf } from "./failure.ts";
import { BadWork } from "./spec/bad_work.ts";

const { signal } = new AbortController();

describe("endingOf()", () => {
  test.each([
    [new EngineError("WrongPassword", "no"), signal, "WrongPassword", 10],
    [new BadWork("nonsense"), signal, "InvalidOption", 2],
    [new TypeError("a bug"), signal, "EngineFailed", 1],
    [new Error("SIGTERM"), AbortSignal.abort(new Error("SIGTERM")), "Cancelled", 35],
    [new Error("late"), AbortSignal.abort(new DeadlineExceeded("late")), "Deadline", 36],
    [new EngineError("Full", "no"), AbortSignal.abort(), "Full", 20],
  ])("of %s is %s, %i", (error, aborted, errorClass, exitCode) => {
    expect(endingOf(error, aborted)).toMatchObject({ failure: { class: errorClass }, exitCode });
  });
});
