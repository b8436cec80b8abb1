import { expect, test } from "vitest";
import { BACKUPS, backup, meta } from "../testing/samples.ts";
import { checkDeletion, deletionWebhook } from "./deletion_webhook.ts";

const place = (more = {}) => ({ apiVersion: "v1", kind: "Namespace", metadata: meta("billing", more) });
const guarded = (home: ReturnType<typeof place> | "unknown") => ({
  namespace: () => home,
  objection: () => "it is needed",
});

test.each([
  ["in a namespace that stays", place(), backup(), false],
  ["in one of which nothing is known", "unknown" as const, backup(), false],
  ["in a namespace that goes with all in it", place({ deletionTimestamp: "now" }), backup(), true],
  ["that is going already", place(), backup({ metadata: { deletionTimestamp: "now" } }), true],
])("an object %s", (_, home, object, allowed) => {
  expect(checkDeletion(object, guarded(home)).allowed).toBe(allowed);
});

test("the refusal says why", () => {
  expect(checkDeletion(backup(), guarded(place()))).toEqual({
    allowed: false,
    code: 403,
    message: "it is needed",
  });
});

test("what does not have to stay may go with a warning", () => {
  const { namespace } = guarded(place());
  expect(checkDeletion(backup(), { namespace, warning: () => "it leaves something" })).toEqual({
    allowed: true,
    warnings: ["it leaves something"],
  });
  expect(checkDeletion(backup(), { namespace })).toEqual({ allowed: true });
});

test("nothing hangs on its being served, and a namespace's end does not come by", () => {
  const webhook = deletionWebhook({
    api: "example",
    group: "example.org",
    resource: BACKUPS,
    isOperator: () => false,
    ...guarded(place()),
  });
  expect(webhook).toMatchObject({
    onFailure: "allow",
    operations: ["DELETE"],
    name: "delete.backups.example.org",
  });
  expect(webhook.matchConditions?.[0]?.expression).toContain("namespace-controller");
});
