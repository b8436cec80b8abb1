import { expect, test } from "vitest";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { AT } from "../testing/samples.ts";
import { restoreConditions } from "./restore_conditions.ts";

const said = (status: Pick<RestoreStatus, "resolved" | "losses">) =>
  restoreConditions(status).map(({ type, reason }) => `${type} ${reason}`);
const loss = (kind: string) => ({ kind, count: 2, reason: "not root" });

test.each<[string, Pick<RestoreStatus, "resolved" | "losses">, readonly string[]]>([
  ["nothing before it is decided", {}, []],
  ["what is restored", { resolved: { snapshotID: "k1", pinnedAt: AT } }, ["SourceResolved Resolved"]],
  ["that there is nothing", { resolved: { noSnapshot: true, pinnedAt: AT } }, ["SourceResolved NoSnapshot"]],
  ["that owners differ", { losses: [loss("Owner"), loss("Mode")] }, ["PermissionsDiffer NotPermitted"]],
  ["nothing of other losses", { losses: [loss("Time")] }, []],
])("%s is said", (_, status, conditions) => {
  expect(said(status)).toEqual(conditions);
});

test("the message counts, and says what helps", () => {
  const [condition] = restoreConditions({ losses: [loss("Owner"), loss("Mode")] });
  expect(condition?.message).toBe(
    "4 owners or modes could not be set as they were; see status.losses. A mover with privilegedMode can set them.",
  );
});
