import { expect, test } from "vitest";
import { succeeded, taskPlan, working } from "../testing/samples.ts";
import { withEarlier } from "./task_plan.ts";

const ended = (purpose: string, startedAt: string) =>
  taskPlan(purpose, succeeded(undefined), {
    record: { startedAt },
    intents: [{ type: "Remove", job: {} as never }],
  });

test("withEarlier() tidies up what has ended before anything new is done, and remembers the newest of it", () => {
  const current = taskPlan("connect-4", working);
  const decision = { status: { work: { "connect-4": current.decision.record } }, intents: [] };
  const earlier = [
    ended("connect-2", "2026-05-02T00:00:00Z"),
    ended("connect-1", "2026-05-01T00:00:00Z"),
    ended("connect-3", "2026-05-03T00:00:00Z"),
  ];
  const both = withEarlier(decision, earlier);
  expect(Object.keys(both.status?.work ?? {}).sort()).toEqual(["connect-2", "connect-3", "connect-4"]);
  expect(both.intents.map(({ type }) => type)).toEqual(["Run", "Run", "Run"]);
});

test("withEarlier() writes no status that was not to be written", () => {
  const decision = withEarlier({ intents: [] }, [ended("connect-1", "2026-05-01T00:00:00Z")]);
  expect(decision.status).toBeUndefined();
  expect(decision.intents).toHaveLength(1);
});
