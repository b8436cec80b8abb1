import { expect, test } from "vitest";
import { afterEnd, afterEvent, IDLE, RUNNING } from "./run_state.ts";

test("what a command says is kept in order, its progress only as the last line", () => {
  let state = afterEvent(RUNNING, { type: "note", line: "Backup monday was created" });
  state = afterEvent(state, { type: "progress", line: "10 %" });
  state = afterEvent(state, { type: "progress", line: "20 %" });
  state = afterEvent(state, { type: "out", line: "backup/monday" });
  expect(state).toEqual({
    phase: "running",
    lines: [
      { from: "note", line: "Backup monday was created" },
      { from: "out", line: "backup/monday" },
    ],
    progress: "20 %",
  });
  expect(afterEvent(state, { type: "done" })).toMatchObject({ phase: "done", progress: undefined });
});

test("a plan says what has to be confirmed by name, whatever its lines say", () => {
  const state = afterEvent(RUNNING, { type: "plan", confirmDeletion: "documents" });
  expect(afterEvent(state, { type: "done" })).toMatchObject({ phase: "done", confirmDeletion: "documents" });
  expect(afterEvent(state, { type: "plan" }).confirmDeletion).toBeUndefined();
});

test("a failure is told with why and what to do", () => {
  const state = afterEvent(RUNNING, {
    type: "failed",
    code: 4,
    message: "Forbidden",
    why: "RBAC",
    fix: "Ask",
  });
  expect(state.phase).toBe("failed");
  expect(state.problem).toEqual({ message: "Forbidden", why: "RBAC", fix: "Ask" });
  expect(afterEnd(state)).toBe(state);
});

test("a stream that stops halfway is no success", () => {
  expect(afterEnd(RUNNING)).toMatchObject({
    phase: "ended",
    problem: { message: expect.stringContaining("connection ended") },
  });
  expect(afterEnd(IDLE)).toBe(IDLE);
});
