import { expect, test } from "vitest";
import { type ExtraArgWords, extraArgViolations } from "./extra_args.ts";

const WORDS: ExtraArgWords = {
  at: "extraArgs",
  sources: "the sources",
  repository: "the repository",
  instead: {
    retention: "use retention",
    repository: "set it there",
    sources: "use the sources",
    programs: "use hooks",
    records: "use tags",
  },
};

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
  expect(extraArgViolations([argument], WORDS)).toEqual([]);
});

test.each([
  ["--keep-daily=7", "retention"],
  ["--prune", "retention"],
  ["-r", "those of the repository"],
  ["-r/tmp/elsewhere", "those of the repository"],
  ["--repo=/tmp/elsewhere", "those of the repository"],
  ["--password-command=env", "those of the repository"],
  ["--config-file=/tmp/x", "those of the repository"],
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
  ["--files-from=/etc/hosts", "what the sources names"],
  ["--files-from-raw", "what the sources names"],
  ["--", "what the sources names"],
  ["/etc", "what the sources names"],
  ["--parent=latest", "last snapshot"],
  ["--skip-if-unchanged", "last snapshot"],
  ["--description=mine", "the operator records"],
  ["--override-source=/etc", "the operator records"],
  ["--host=other", "the operator records"],
  ["--tags=a:b", "the operator records"],
])("%s is refused: %s", (argument, why) => {
  const [violation, ...more] = extraArgViolations(["--parallel=8", argument], WORDS);
  expect(more).toEqual([]);
  expect(violation).toMatchObject({ field: "extraArgs[1]", why: expect.stringContaining(why) });
});

test.each(["/etc", "folder", ""])("%j could be a source, whatever stands before it", (argument) => {
  for (const before of [[], ["--force"], ["-x"], ["--exclude"], ["--exclude=*.tmp"]]) {
    expect(extraArgViolations([...before, argument], WORDS)).toMatchObject([
      { field: `extraArgs[${before.length}]`, fix: expect.stringContaining("--flag=value") },
    ]);
  }
});
