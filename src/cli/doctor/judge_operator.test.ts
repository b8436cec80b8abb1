import { expect, test } from "vitest";
import { judgeOperators } from "./judge_operator.ts";

const account = "system:serviceaccount:holdfast-system:holdfast";
const jobs = { group: "batch", resource: "jobs" };

test("an operator that may do all says so", () => {
  expect(judgeOperators([{ account, missing: [], asked: 90 }])).toEqual([
    { level: "ok", what: `${account} has all 90 rights that the operator needs` },
  ]);
});

test("rights that are missing are told by kind", () => {
  const missing = [
    { ...jobs, verb: "create" },
    { ...jobs, verb: "patch" },
    { group: "", resource: "pods/log", verb: "get", namespace: "holdfast-system" },
  ];
  expect(judgeOperators([{ account, missing, asked: 90 }])).toMatchObject([
    { level: "error", what: "the operator may not create, patch jobs.batch" },
    {
      level: "error",
      what: "the operator may not get pods/log",
      why: expect.stringContaining(`to ${account}, in namespace holdfast-system`),
    },
  ]);
});
