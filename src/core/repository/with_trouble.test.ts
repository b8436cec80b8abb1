import { describe, expect, test } from "vitest";
import type { Condition } from "../../kube/write/conditions.ts";
import type { Decision } from "../reconcile/decision.ts";
import { AT, NOW, readyNas } from "../testing/samples.ts";
import type { Evidence } from "../work/queue/breaker.ts";
import { decisiveSetback } from "./decisive_setback.ts";
import type { RepositoryState } from "./repository.ts";
import { readyRepository } from "./use_repository.ts";
import { withTrouble } from "./with_trouble.ts";

const condition = (type: string, status: Condition["status"], reason: string, more = {}): Condition => ({
  type,
  status,
  reason,
  message: `${reason}.`,
  lastTransitionTime: "2026-05-24T00:00:00Z",
  ...more,
});
const CONNECTED = condition("Connected", "True", "ConnectFromConfig");
const READY = condition("Ready", "True", "ConnectFromConfig");
const BROKEN = condition("Intact", "False", "DataMissing");
const setback = (failure: "NotARepository" | "Unreachable" | "WrongPassword", at = NOW) => ({
  at,
  failure,
  count: 1,
});

function decide(status: RepositoryState, evidence: Evidence = { setbacks: [] }): Decision<RepositoryState> {
  const repository = readyNas({ status: { conditions: [READY, CONNECTED], ...status } });
  return withTrouble({ intents: [] }, { repository, evidence, now: NOW });
}
const said = ({ status }: Decision<RepositoryState>, type: string) =>
  status?.conditions?.find((one) => one.type === type);

describe("withTrouble()", () => {
  test.each(["NotARepository", "WrongPassword"] as const)("one run that meets %s is enough", (failure) => {
    const decision = decide({}, { setbacks: [setback(failure)] });
    expect(decision.status?.phase).toBe("Degraded");
    expect(said(decision, "Ready")).toMatchObject({ status: "False", reason: failure });
    expect(said(decision, "Connected")).toMatchObject({ status: "False", reason: failure });
    expect(said(decision, "Ready")?.message).toMatch(/^A run failed with .* connects again now/);
    expect(decision.events).toMatchObject([{ type: "Warning", reason: failure }]);
  });

  test.each<[string, Evidence]>([
    ["one that could not reach it", { setbacks: [setback("Unreachable")] }],
    ["one that failed before another succeeded", { setbacks: [setback("NotARepository")], goodAt: NOW + 1 }],
    ["none", { setbacks: [] }],
  ])("after %s it stays as it was", (_, evidence) => {
    expect(decide({}, evidence)).toEqual({ intents: [] });
  });

  test("damage that a check found makes it Degraded, and it can still be used", () => {
    const decision = decide({ conditions: [READY, CONNECTED, BROKEN] });
    expect(decision.status?.phase).toBe("Degraded");
    expect(said(decision, "Ready")).toMatchObject({ status: "False", reason: "DataMissing" });
    const after = readyNas({ status: decision.status ?? {} });
    expect(readyRepository(after, "Repository nas").ok).toBe(true);
    // Said once.
    expect(withTrouble({ intents: [] }, { repository: after, evidence: { setbacks: [] }, now: NOW })).toEqual(
      { intents: [] },
    );
  });

  test("once a check finds nothing it is Ready again", () => {
    const conditions = [{ ...READY, status: "False" as const }, CONNECTED];
    const decision = decide({
      phase: "Degraded",
      conditions: [...conditions, condition("Intact", "True", "Checked")],
    });
    expect(decision.status?.phase).toBe("Ready");
    expect(said(decision, "Ready")).toMatchObject({ status: "True", reason: "ConnectFromConfig" });
  });

  test("one that does not answer stays Degraded, whatever a check found", () => {
    const conditions = [READY, condition("Connected", "False", "Unreachable"), BROKEN];
    expect(decide({ phase: "Degraded", conditions })).toEqual({ intents: [] });
  });

  test("damaged data that a run read is said, and what to do", () => {
    const decision = decide({}, { setbacks: [], damagedAt: NOW });
    expect(decision.status?.phase).toBe("Degraded");
    const words = { status: "False", reason: "DamagedDataRead" };
    expect(said(decision, "Intact")).toMatchObject(words);
    expect(said(decision, "Ready")).toMatchObject(words);
    expect(said(decision, "Intact")?.message).toContain("holdfast verify repository/nas --data-percent 100");
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "DamagedDataRead" }]);
  });

  test("damage that a later check did not find any more is not said again", () => {
    const clear = condition("Intact", "True", "Checked", { lastTransitionTime: AT });
    expect(decide({ conditions: [READY, CONNECTED, clear] }, { setbacks: [], damagedAt: NOW - 1 })).toEqual({
      intents: [],
    });
  });
});

test.each([
  ["it answered after that", { lastContactAt: AT }, false],
  ["it was asked after that", { failure: { errorClass: "Unreachable", message: "", at: AT } }, false],
  ["it answered before", { lastContactAt: "2026-05-24T02:12:00Z" }, true],
])("where %s, a failure counts: %3$s", (_, status, counts) => {
  const found = decisiveSetback(status as RepositoryState, {
    setbacks: [setback("NotARepository", NOW + 300)],
  });
  expect(found !== undefined).toBe(counts);
});
