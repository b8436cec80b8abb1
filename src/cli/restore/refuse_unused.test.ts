import { expect, test } from "vitest";
import { KubeconfigError } from "../../kube/config/kubeconfig.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { COMMANDS } from "../commands.ts";
import { runCli } from "../frame/run_cli.ts";

/** How `restore` ends in a world without a cluster, which is asked for only when the command line is right. */
async function ended(line: string) {
  const err: string[] = [];
  const code = await runCli({
    argv: ["restore", ...line.split(" ")],
    commands: COMMANDS,
    terminal: { out: { write: () => {} }, err: { write: (text) => err.push(String(text)) } },
    clock: new VirtualClock(),
    random: seededRandom(1),
    signal: new AbortController().signal,
    env: {},
    version: "1.2.3",
    connect: () => Promise.reject(new KubeconfigError("no file")),
    sessionRequest: () => Promise.reject(new Error("not asked for")),
    operatorRules: () => Promise.reject(new Error("not asked for")),
    views: () => Promise.reject(new Error("not asked for")),
  });
  return { code, err: err.join("") };
}

const IDENTITY = "u@h:/d --repository r";

test.each([
  ["config/c --to a --snapshot k1", "--snapshot has no effect with config/…"],
  ["backup/b --to a --snapshot k1", "--snapshot has no effect with backup/…"],
  ["b --to a --repository r", "--repository has no effect with backup/…"],
  ["b --to a --as-of 2026-01-01T00:00:00Z", "--as-of has no effect with backup/…"],
  ["b --to a --offset 1", "--offset has no effect with backup/…"],
  [`${IDENTITY} --to a --pvc data`, "--pvc has no effect with an identity"],
  [`${IDENTITY} --to a --snapshot k1 --offset 1`, "--snapshot names one snapshot"],
  ["b --to a --scale-down", "--scale-down has no effect with --to"],
  ["b --to a --existing Keep", "--existing has no effect with --to"],
  ["b --for-claims --delete-extra", "--delete-extra has no effect with --for-claims"],
  ["b --into a --capacity 1Gi", "--capacity has no effect with --into"],
  ["b --into a --storage-class fast", "--storage-class has no effect with --into"],
  ["b --for-claims --access-mode ReadWriteMany", "--access-mode has no effect with --for-claims"],
])("restore %s is refused before anything is tried", async (line, what) => {
  const { code, err } = await ended(line);
  expect(err).toContain(what);
  expect(code).toBe(2);
});

test.each([
  "b --into a --scale-down --existing Keep --delete-extra --pvc data --from-namespace n",
  "config/c --to a --capacity 1Gi --storage-class s --access-mode ReadWriteMany --offset 1",
  `${IDENTITY} --to a --snapshot k1`,
  `${IDENTITY} --to a --as-of 2026-01-01T00:00:00Z --from-namespace n`,
])("restore %s goes on to the cluster", async (line) => {
  expect(await ended(line)).toMatchObject({ code: 5 });
});
