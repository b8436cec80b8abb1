import { expect, test } from "vitest";
import { extraArgViolations } from "./extra_args.ts";

test.each([
  "--parallel=8",
  "--upload-limit-mb",
  "--exclude-larger-than=1G",
  "-v",
  "--one-file-system",
  "plain",
])("%s is passed on", (argument) => {
  expect(extraArgViolations([argument])).toEqual([]);
});

test.each([
  ["--keep-daily=7", "retention"],
  ["--prune", "retention"],
  ["-r", "spec.repository"],
  ["-r/tmp/elsewhere", "spec.repository"],
  ["--repo=/tmp/elsewhere", "spec.repository"],
  ["--password-command=env", "spec.repository"],
  ["--config-file=/tmp/x", "spec.repository"],
  ["-osftp.command=sh", "another program"],
  ["--option=rclone.program=sh", "another program"],
  ["--stdin-from-command", "another program"],
  ["--override-source=/etc", "the operator records"],
  ["--host=other", "the operator records"],
  ["--tags=a:b", "the operator records"],
])("%s is refused: %s", (argument, why) => {
  const [violation, ...more] = extraArgViolations(["--parallel=8", argument]);
  expect(more).toEqual([]);
  expect(violation).toMatchObject({ field: "spec.policy.extraArgs[1]", why: expect.stringContaining(why) });
});
