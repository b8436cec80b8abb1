import { describe, expect, test } from "vitest";
import { timestamp } from "../../kube/write/timestamp.ts";
import { err, ok } from "../../lib/result.ts";
import { blocked, type Problem, waits } from "../reconcile/problem.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, NOW, taskPlan, working } from "../testing/samples.ts";
import type { Place } from "../work/queue/place.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { askPurpose } from "./resolution.ts";
import { RESTORE } from "./restore_tasks.ts";
import { ASK, asking, conditionOf, decide, ours, restore, run } from "./testing/restore_samples.ts";

describe("decideRestore(): the source", () => {
  const missing = waits("BackupNotFound", "there is none.");
  /** It has waited for so many minutes, with this spec or another one. */
  const waited = (minutes: number, of = restore(), more: object = {}) => ({
    waiting: { since: timestamp(NOW - minutes * 60_000), edition: specFingerprint(of) },
    ...more,
  });
  const away: Problem = waits("RepositoryNotReady", "Repository nas is not ready.");
  const heldBy = ({ reason, message }: Problem, record: Partial<RunRecord> = {}) =>
    ok({ ...taskPlan("ask-1", { phase: "Held", reason, message }, { record }), away });
  const gone = err({ ...waits("RepositoryNotFound", "there is none."), away: true });
  const forbidden = err(blocked("PrivilegedMoverForbidden", "no."));
  const ASKED = askPurpose(restore(), ASK);
  const record: RunRecord = { ...FIRST_ATTEMPT, startedAt: AT };
  const writing: RunRecord = { ...record, job: "uid-job" };
  const place: Place = { pool: "uid-nas", since: AT, rank: 0, tenant: "billing/again", seated: false };

  test("is waited for from when it is first missed", () => {
    const decision = decide({ resolution: err(missing) });
    expect(decision.status).toMatchObject({ phase: "Pending", waiting: { since: AT } });
    expect(decision.wakeAt).toBe(NOW + 30_000);
  });

  test("that is missing is looked for again when the time is over, if nothing says so sooner", () => {
    const decision = decide({ restore: restore({ status: waited(4.9) }), resolution: err(missing) });
    expect(decision.status).toMatchObject({ phase: "Pending", ...waited(4.9) });
    expect(decision.wakeAt).toBe(NOW + 6_000);
  });

  test.each<[string, Partial<ObservedRestore>]>([
    ["does not exist", { resolution: err(missing) }],
    ["may not be used", { resolution: err(blocked("Forbidden", "no.")) }],
    ["is a backup that nobody has begun", { resolution: err(missing), isUnderWay: false }],
    ["is in a repository that does not exist", { resolution: ok(ASK), asking: gone }],
    ["is in a repository that is away", { resolution: ok(ASK), asking: heldBy(away) }],
    [
      "is in a repository that went away after it was asked in vain",
      { resolution: ok(ASK), asking: heldBy(away, { startedAt: AT }) },
    ],
    ["is in a repository that fails", { resolution: ok(ASK), asking: heldBy(waits("BreakerOpen", "m.")) }],
    ["is known, in a repository that is away", { claim: ours, run: heldBy(away) }],
    ["is known, in a repository that is gone", { claim: ours, run: gone }],
  ])("that %s is not waited for any longer than the policy says", (_, more) => {
    const before = decide({ restore: restore({ status: waited(4) }), ...more });
    expect(before.status?.phase).not.toBe("Failed");
    const after = decide({ restore: restore({ status: waited(5) }), ...more });
    expect(after).toMatchObject({ status: { phase: "Failed", ...waited(5) }, wakeAt: undefined });
    const stalled = conditionOf(after, "Stalled");
    expect(stalled).toMatchObject({ status: "True" });
    expect(stalled?.message).toMatch(
      /It was not there within 5m. Edit it to have it tried again; or create another one\.$/,
    );
  });

  test("that is looked for again and again is waited for no longer: what a look that goes on has not found is missed still", () => {
    const status = waited(4);
    const looking = decide({ restore: restore({ status }), resolution: ok(ASK), asking: asking(working) });
    expect(looking.status).toMatchObject({ phase: "Resolving", ...waited(4) });
  });

  test("that comes too late is not restored any more, until the Restore is edited", () => {
    const given = waited(9, restore(), { phase: "Failed" });
    expect(decide({ restore: restore({ status: given }), claim: ours, run: run(working) })).toEqual({
      intents: [],
    });
    const metadata = { generation: 2 };
    const edited = decide({ restore: restore({ metadata, status: given }), resolution: err(missing) });
    expect(edited.status).toMatchObject({ phase: "Pending", waiting: { since: AT } });
    const found = decide({ restore: restore({ metadata, status: given }) });
    expect(found.status?.phase).toBe("Resolving");
    expect(found.status?.waiting).toBeUndefined();
  });

  test("that was waited for in vain is not asked for either: the slot goes", () => {
    const asking = heldBy(away, { place });
    const status = waited(5);
    const { status: after } = decide({ restore: restore({ status }), resolution: ok(ASK), asking });
    expect(after?.work).toEqual({ "ask-1": FIRST_ATTEMPT });
    const seated = { ...status, work: { "ask-1": { ...FIRST_ATTEMPT, place: { ...place, seated: true } } } };
    const lost = decide({ restore: restore({ status: seated }), resolution: err(missing) });
    expect(lost.status?.work).toEqual({ "ask-1": FIRST_ATTEMPT });
  });

  test("is not waited for any longer because the clock was set back", () => {
    const decision = decide({ restore: restore({ status: waited(-60) }), resolution: err(missing) });
    expect(decision.status?.waiting?.since).toBe(AT);
  });

  test.each<[string, Partial<ObservedRestore>]>([
    ["a backup that is being made", { resolution: err(missing), isUnderWay: true }],
    ["its own turn", { resolution: ok(ASK), asking: heldBy(waits("Queued", "m.")) }],
    ["a repository that went away after it had begun", { claim: ours, run: heldBy(away, { startedAt: AT }) }],
    ["a mover that may not run yet", { claim: ours, run: forbidden }],
    ["a mover that may not ask yet", { resolution: ok(ASK), asking: forbidden }],
  ])("has all the time that it needs: %s", (_, more) => {
    const decision = decide({ restore: restore({ status: waited(60) }), ...more });
    expect(decision.status?.phase).not.toBe("Failed");
    expect(decision.status?.waiting).toBeUndefined();
  });

  test.each<[string, RunRecord, Partial<ObservedRestore>]>([
    ["writes, when the repository is gone", writing, { claim: ours, run: gone }],
    ["writes, when its mover would be refused", writing, { claim: ours, run: forbidden }],
    ["has written, when the repository is gone", record, { claim: ours, run: gone }],
    ["asks, when the repository is gone", writing, { resolution: ok(ASK), asking: gone }],
  ])("is not given up by one that %s", (_, known, more) => {
    const purpose = more.run ? RESTORE : ASKED;
    const status = waited(60, restore(), { work: { [purpose]: known } });
    const decision = decide({ restore: restore({ status }), ...more });
    expect(decision.status?.phase).toBe(more.run && known.job ? "Restoring" : "Pending");
    expect(decision.status?.waiting).toBeUndefined();
    expect(decision.status?.work).toEqual({ [purpose]: known });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
  });

  test.each([
    ["is gone", gone],
    ["cannot be used by a mover", forbidden],
  ])("that could not be restored has failed, also once its repository %s, until an edit", (_, none) => {
    const ended: RunRecord = { ...record, edition: specFingerprint(restore()), outcome: "Failed" };
    const status = { phase: "Failed", work: { [RESTORE]: ended, [ASKED]: ended } };
    const later = restore({ status });
    expect(decide({ restore: later, claim: ours, run: none })).toEqual({ intents: [] });
    expect(decide({ restore: later, resolution: ok(ASK), asking: none })).toEqual({ intents: [] });
    const edited = restore({ metadata: { generation: 2 }, status });
    expect(decide({ restore: edited, claim: ours, run: none }).status?.phase).toBe("Pending");
  });

  test("that was given up is looked at all the same while it is written", () => {
    const status = waited(60, restore(), { phase: "Failed", work: { [RESTORE]: writing } });
    const decision = decide({ restore: restore({ status }), claim: ours, run: run(working) });
    expect(decision.status?.phase).toBe("Restoring");
  });
});
