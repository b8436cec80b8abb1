import { expect, test } from "vitest";
import { Failure } from "../../kube/controller/failure.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { backup } from "./testing/samples.ts";
import { ToldFailures } from "./told_failures.ts";

const failure = new Failure("structural", "Forbidden", "it may not create Jobs");
const at = (resourceVersion: string, uid = "u") => backup({ metadata: { uid, resourceVersion } });

test("a failure that was told is echoed by the very state that tells it, and by no other", () => {
  const told = new ToldFailures(new VirtualClock());
  told.remember(at("2"), failure);
  expect(told.echo(at("2"))).toBe(failure);
  expect(told.echo(at("3"))).toBeUndefined();
  expect(told.echo(at("2", "another"))).toBeUndefined();
});

test("a failure is tried again once its echo is over", async () => {
  const clock = new VirtualClock();
  const told = new ToldFailures(clock);
  told.remember(at("2"), failure);
  await clock.advance(2_001);
  expect(told.echo(at("2"))).toBeUndefined();
});
