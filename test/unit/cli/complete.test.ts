import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCRIPTS } from "../../../src/cli/complete/scripts.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { HttpFailure, type HttpSender } from "../../../src/lib/http.ts";
import { VirtualClock } from "../../../src/lib/virtual_clock.ts";
import { CliGround, type RunOptions } from "./cli_ground.ts";

let ground: CliGround;

async function put(resource: Resource, name: string, spec: object, namespace = "default"): Promise<void> {
  await ground.client.create(resource, { metadata: { namespace, name }, spec } as Draft<KubeObject>);
}

beforeAll(async () => {
  ground = await CliGround.open();
  await ground.client.create(Namespaces, { metadata: { name: "home" } });
  for (const name of ["monday", "tuesday"]) await put(backupResource, name, { configRef: { name: "c" } });
  await put(backupResource, "elsewhere", { configRef: { name: "c" } }, "home");
  const recipe = { repository: { name: "r" }, sources: [{ pvc: { name: "p" } }], copyMethod: "Direct" };
  await put(backupConfigResource, "documents", recipe);
  await put(PersistentVolumeClaims, "data", {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
  });
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

const answer = async (line: string, options: RunOptions = {}) => {
  const { code, stdout, stderr } = await ground.run(`__complete ${line}`, options);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.trimEnd().split("\n");
};

describe("holdfast __complete", () => {
  test.each<[line: string, offers: string[]]>([
    ["backup now ", ["documents", ":4"]],
    ["ls ", ["backup/", "config/", "monday", "tuesday", ":4"]],
    ["ls con", ["config/", ":6"]],
    ["ls config/", ["config/documents", ":4"]],
    ["ls backup/t", ["backup/tuesday", ":4"]],
    ["ls -n home ", ["backup/", "config/", "elsewhere", ":4"]],
    ["restore config/documents --into ", ["data", ":4"]],
    ["restore config/documents --into=d", ["--into=data", ":4"]],
    ["restore --from-namespace home ", ["backup/", "config/", "elsewhere", ":4"]],
    ["restore elsewhere --from-namespace home --into ", ["data", ":4"]],
    ["status -n ho", ["home", ":4"]],
    ["ls shoes/", [":4"]],
    ["list sch", ["schedules", ":4"]],
    ["list cl", ["clusterrepositories", ":4"]],
    ["explain con", ["config/", ":6"]],
    ["explain config/", ["config/documents", ":4"]],
    ["migrate volsync ", [":0"]],
    ["cancel x y ", [":4"]],
  ])("%s", async (line, offers) => {
    expect(await answer(line)).toEqual(offers);
  });

  test("says what it knows itself, and soon, where there is no cluster", async () => {
    const away: HttpSender = {
      send: () => Promise.reject(new HttpFailure("refused", { code: "ECONNREFUSED", sent: false })),
      close: () => {},
    };
    const clock = new VirtualClock();
    const options = { sender: away, clock };
    const said = Promise.all([answer("backup now ", options), answer("ls con", options)]);
    while (clock.pendingTimers < 2) await clock.advance(0);
    await clock.advance(1_500);
    expect(await said).toEqual([[":4"], ["config/", ":6"]]);
  });

  test("asks for metadata, in one list", async () => {
    const asked: string[] = [];
    const watching: HttpSender = {
      close: () => {},
      send: (request) => {
        asked.push(`${request.headers?.accept?.includes("PartialObjectMetadataList")} ${request.path}`);
        return ground.sender.send(request);
      },
    };
    await answer("ls backup/", { sender: watching });
    expect(asked).toEqual([expect.stringMatching(/^true .*\/namespaces\/default\/backups\?.*limit=500/)]);
  });
});

test("a name that comes late in a long list is found, and no more are offered than anybody reads", async () => {
  await ground.client.create(Namespaces, { metadata: { name: "many" } });
  const names = Array.from({ length: 1_101 }, (_, index) => `b${index + 1_000}`);
  for (const name of [...names, "last"])
    await put(backupResource, name, { configRef: { name: "c" } }, "many");
  expect(await answer("ls -n many la")).toEqual(["last", ":4"]);
  expect(await answer("ls -n many backup/b2100")).toEqual(["backup/b2100", ":4"]);
  expect((await answer("ls -n many backup/b")).length).toBe(501);
});

/** Stands in for the program: says what it was asked, and offers the same each time. */
const PROGRAM = `#!/bin/sh
printf '%s\\n' "$*" > "$ASKED"
printf 'config/documents\\tthe recipe\\nconfig/letters\\n%s\\n' "\${DIRECTIVE:-:4}"
`;

/** The full matrix has every shell. */
const LONG = process.env.HOLDFAST_LONG !== undefined;

const has = (shell: string) => {
  try {
    execFileSync(shell, ["-c", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe("in a shell", () => {
  const folder = mkdtempSync(join(tmpdir(), "completion-"));
  writeFileSync(join(folder, "holdfast"), PROGRAM, { mode: 0o755 });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const inShell = async (shell: string, program: string, more: Readonly<Record<string, string>> = {}) => {
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      ASKED: join(folder, "asked"),
      ...more,
    };
    const { stdout } = await promisify(execFile)(shell, ["-c", program], { env });
    const asked = execFileSync("cat", [join(folder, "asked")], { encoding: "utf8" }).trimEnd();
    return { asked, offered: stdout.trimEnd().split("\n") };
  };

  const BOTH = ["config/documents", "config/letters"];

  test("bash hands the words over, up to the cursor, and takes the offers without their summaries", async () => {
    const program = `${SCRIPTS.bash}
COMP_WORDS=(holdfast ls -n "my home" config/ after); COMP_CWORD=4
_holdfast holdfast config/ "my home"; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(await inShell("bash", program)).toEqual({
      asked: "__complete ls -n my home config/",
      offered: BOTH,
    });
  });

  test("bash is silent where the program fails", async () => {
    const program = `${SCRIPTS.bash}
COMP_WORDS=(/nowhere/holdfast l); COMP_CWORD=1; : > "$ASKED"
_holdfast /nowhere/holdfast l holdfast; echo "\${#COMPREPLY[@]}"`;
    expect((await inShell("bash", program)).offered).toEqual(["0"]);
  });

  test.runIf(LONG || has("zsh"))("zsh does the same", async () => {
    const program = `compdef() { :; }; compadd() { shift; printf '%s\\n' "$@"; }
eval "$SCRIPT"
words=(holdfast ls config/); CURRENT=3; _holdfast`;
    expect(await inShell("zsh", program, { SCRIPT: SCRIPTS.zsh ?? "" })).toEqual({
      asked: "__complete ls config/",
      offered: BOTH,
    });
  });

  test.runIf(LONG || has("fish"))("fish does the same, and shows the summaries", async () => {
    const program = `echo $SCRIPT | source; complete -C "holdfast ls config/"`;
    expect(await inShell("fish", program, { SCRIPT: SCRIPTS.fish ?? "" })).toEqual({
      asked: "__complete ls config/",
      offered: ["config/documents\tthe recipe", "config/letters"],
    });
  });
});
