import { expect, test } from "vitest";
import { Failure } from "../../kube/failure.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { repository } from "../testing/samples.ts";
import { ReportedFailures } from "./reported_failures.ts";

const failure = new Failure("structural", "Forbidden", "it may not create Jobs");
const at = (resourceVersion: string, uid = "u") => repository({ metadata: { uid, resourceVersion } });

test("a failure that was told is echoed by the very state that tells it, and by no other", () => {
  const told = new ReportedFailures(new VirtualClock());
  told.remember(at("2"), failure);
  expect(told.echo(at("2"))).toBe(failure);
  expect(told.echo(at("3"))).toBeUndefined();
  expect(told.echo(at("2", "another"))).toBeUndefined();
});

test("a failure is tried again once its echo is over", async () => {
  const clock = new VirtualClock();
  const told = new ReportedFailures(clock);
  told.remember(at("2"), failure);
  await clock.advance(2_001);
  expect(told.echo(at("2"))).toBeUndefined();
});
