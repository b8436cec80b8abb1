import { describe, expect, test } from "vitest";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, NOW, repository } from "../testing/samples.ts";
import { CONTACT_EVERY, contactOf, nextContactAt, TRY_EVERY } from "./contact.ts";
import type { Repository } from "./repository.ts";

const CURRENT = `connect-${specFingerprint(repository())}`;
const record = (outcome?: string, startedAt = AT) => ({
  attempt: 1,
  step: "Work",
  failures: 0,
  startedAt,
  outcome,
});
const withStatus = (status: object) => repository({ status });
const answered = { phase: "Ready", lastContactAt: AT, work: { [CURRENT]: record("Succeeded") } };
const dueAt = (object: Repository) => nextContactAt(object) ?? Number.NaN;

describe("contactOf()", () => {
  test("a repository that nobody has looked at is connected to", () => {
    const first = { purpose: CURRENT, outdated: false, again: false };
    expect(contactOf(repository(), NOW)).toEqual(first);
    expect(contactOf(withStatus({ phase: "Failed" }), NOW)).toEqual(first);
  });

  test("what is under way goes on", () => {
    const later = `${CURRENT}-abc`;
    const object = withStatus({ ...answered, work: { ...answered.work, [later]: record() } });
    expect(contactOf(object, NOW)).toEqual({ purpose: later, outdated: false, again: true });
  });

  test("what was begun before an edit has to end", () => {
    const object = withStatus({ ...answered, work: { "connect-before": record() } });
    expect(contactOf(object, NOW)).toMatchObject({ purpose: "connect-before", outdated: true });
  });

  test("an edit connects anew at once", () => {
    const object = withStatus({ ...answered, work: { "connect-before": record("Failed") } });
    expect(contactOf(object, NOW)).toEqual({ purpose: CURRENT, outdated: false, again: false });
  });

  test.each([
    ["that answered, after an hour or a little more", answered, CONTACT_EVERY],
    [
      "that cannot be used, after five minutes or a little more",
      {
        ...answered,
        failure: { errorClass: "WrongPassword", at: AT },
        work: { [CURRENT]: record("Failed") },
      },
      TRY_EVERY,
    ],
  ])("one %s, is asked again", (_, status, every) => {
    const object = withStatus(status);
    const due = dueAt(object);
    expect(due - NOW).toBeGreaterThanOrEqual(every);
    expect(due - NOW).toBeLessThanOrEqual(1.1 * every);
    expect(contactOf(object, due - 1)).toMatchObject({ purpose: CURRENT, again: false });
    const { purpose, again } = contactOf(object, due);
    expect(purpose).toMatch(new RegExp(`^${CURRENT}-[0-9a-z]+$`));
    expect(again).toBe(true);
  });

  test("a clock that was hours ahead does not put the next contact off for as long", () => {
    const object = withStatus({ ...answered, lastContactAt: new Date(NOW + 86_400_000).toISOString() });
    expect(contactOf(object, NOW).again).toBe(true);
  });

  test("the next contact counts from the last answer", () => {
    const due = dueAt(withStatus(answered));
    const lastContactAt = new Date(NOW + 600_000).toISOString();
    expect(dueAt(withStatus({ ...answered, lastContactAt })) - due).toBe(600_000);
  });

  test("of several that ended, the newest is looked after", () => {
    const work = {
      [CURRENT]: record("Succeeded"),
      [`${CURRENT}-a`]: record("Succeeded", "2026-05-25T00:00:00Z"),
    };
    expect(contactOf(withStatus({ ...answered, work }), NOW).purpose).toBe(`${CURRENT}-a`);
  });
});
