import { expect, test } from "vitest";
import { extraArgViolations } from "./extra_args.ts";

test.each([
  "--parallel=8",
  "--upload-limit-mb",
  "--exclude-larger-than=1G",
  "-v",
  "-vv",
  "-fx",
  "--no-cache",
  "--one-file-system",
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
  ["-vosftp.command=sh", "another program"],
  ["-n", "back up nothing"],
  ["-vn", "back up nothing"],
  ["--dry-run", "back up nothing"],
  ["--dry-run=true", "back up nothing"],
  ["--help", "back up nothing"],
  ["--json=false", "not say what it did"],
  ["--no-progress", "not say what it did"],
  ["--files-from=/etc/hosts", "spec.sources"],
  ["--files-from-raw", "spec.sources"],
  ["--", "spec.sources"],
  ["/etc", "spec.sources"],
  ["--parent=latest", "last snapshot"],
  ["--skip-if-unchanged", "last snapshot"],
  ["--description=mine", "the operator records"],
  ["--override-source=/etc", "the operator records"],
  ["--host=other", "the operator records"],
  ["--tags=a:b", "the operator records"],
])("%s is refused: %s", (argument, why) => {
  const [violation, ...more] = extraArgViolations(["--parallel=8", argument]);
  expect(more).toEqual([]);
  expect(violation).toMatchObject({ field: "spec.policy.extraArgs[1]", why: expect.stringContaining(why) });
});

test.each(["/etc", "folder", ""])("%j could be a source, whatever stands before it", (argument) => {
  for (const before of [[], ["--force"], ["-x"], ["--exclude"], ["--exclude=*.tmp"]]) {
    expect(extraArgViolations([...before, argument])).toMatchObject([
      { field: `spec.policy.extraArgs[${before.length}]`, fix: expect.stringContaining("--flag=value") },
    ]);
  }
});
