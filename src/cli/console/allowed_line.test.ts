import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { optionsOf } from "../frame/parse.ts";
import { CommandProblem } from "../frame/problem.ts";
import { ALLOWED, allowedLine } from "./allowed_line.ts";

const read = (line: string) => allowedLine(line.split(" "), "home", COMMANDS);

function refusal(line: string): Pick<CommandProblem, "message" | "fix"> {
  try {
    read(line);
  } catch (error) {
    if (error instanceof CommandProblem) return { message: error.message, fix: error.fix };
    throw error;
  }
  throw new Error(`${line} is not refused`);
}

test.each([
  ["status", "home"],
  ["restore backup/monday --into documents --dry-run", "home"],
  ["backup now documents -n away", "away"],
  ["backup now documents -naway", "away"],
  ["backup now documents --namespace away", "away"],
  ["backup now documents --namespace=away", "away"],
  ["find documents -- --namespace=away", "home"],
])("%s is of the namespace %s", (line, namespace) => {
  expect(read(line).given.text("namespace")).toBe(namespace);
});

test.each([
  ["cat backup/monday a.txt", "cat is not for the console"],
  ["download backup/monday a.txt --to /etc/cron.d/x", "download is not for the console"],
  ["browse backup/monday", "browse is not for the console"],
  ["migrate volsync /etc/passwd", "migrate volsync is not for the console"],
  ["adopt apply", "adopt apply is not for the console"],
  ["console", "console is not for the console"],
  ["completion bash", "completion is not for the console"],
  ["help", "the console shows no help"],
  ["restore --help", "the console shows no help"],
  ["status --kubeconfig /tmp/other", "--kubeconfig is not for the console"],
  ["status --context other", "--context is not for the console"],
  ["ls backup/monday --mover-image evil", "--mover-image is not for the console"],
  ["status --watch", "--watch is not for the console"],
  ["statuus", "there is no command statuus"],
])("%s is refused", (line, message) => {
  expect(refusal(line)).toEqual({ message, fix: expect.stringMatching(/./) });
});

describe("every option of the commands that are allowed", () => {
  // An option that is added has to be looked at here: does it reach elsewhere, write a file or start a program?
  const KNOWN = [
    ...["namespace", "all-namespaces", "output", "help", "yes", "no-wait", "name", "pvc", "config", "tag"],
    ...["inventory", "naming"],
    ...["to", "into", "all", "for-claims", "capacity", "storage-class", "access-mode", "backup-first"],
    ...[
      "no-backup-first",
      "undo",
      "scale-down",
      "as-of",
      "offset",
      "snapshot",
      "path",
      "to-path",
      "existing",
    ],
    ...["delete-extra", "confirm-deletion", "ownership", "privileged", "repository", "from-namespace"],
    ...["confirm-half-written", "confirm-pruning"],
    ...["dry-run", "keep", "follow", "raw", "keep-snapshots", "mode", "data-percent"],
  ];
  const REFUSED = ["kubeconfig", "context", "mover-image", "watch"];

  test("is known, and reaches nothing beside the cluster", () => {
    const commands = COMMANDS.filter(({ name }) => ALLOWED.includes(name));
    expect(commands.map(({ name }) => name).toSorted()).toEqual(ALLOWED.toSorted());
    const options = new Set(commands.flatMap((command) => Object.keys(optionsOf(command))));
    expect([...options].filter((name) => !KNOWN.includes(name)).toSorted()).toEqual(REFUSED.toSorted());
    const files = commands.flatMap((command) =>
      Object.entries(optionsOf(command)).filter(([, { completes }]) => completes === "files"),
    );
    expect([...new Set(files.map(([name]) => name))]).toEqual(["kubeconfig"]);
  });
});
