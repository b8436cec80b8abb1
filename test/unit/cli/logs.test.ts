import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER_LABEL, ownerLabel } from "../../../src/core/work/run_labels.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { Pods } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { CliGround } from "./cli_ground.ts";

const namespace = "default";
let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
  const backups: Resource = backupResource;
  const draft = { metadata: { namespace, name: "slow" }, spec: { configRef: { name: "c" } } };
  const { metadata } = await ground.client.create(backups, draft as Draft<KubeObject>);
  await ground.client.create(Pods, {
    metadata: { namespace, name: "mover", labels: { [OWNER_LABEL]: ownerLabel(metadata) } },
    spec: { containers: [{ name: "mover", image: "mover" }] },
  });
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

/** A node that starts the container after so many looks. */
function starting(looks: number) {
  let left = looks;
  return ground.answering(({ path }) => {
    if (!path.includes("/pods/mover/log")) return undefined;
    const message = 'container "mover" in pod "mover" is waiting to start: ContainerCreating';
    if (left-- > 0)
      return { status: 400, value: { kind: "Status", code: 400, reason: "BadRequest", message } };
    return { status: 200, value: "hello\n" };
  });
}

test("whoever follows a mover waits for its beginning", async () => {
  const ended = await ground.run("logs backup/slow -f --raw", { sender: starting(2) });
  expect(ended).toMatchObject({ code: 0, stdout: "hello\n" });
});

test("whoever does not is told that it has not begun", async () => {
  const { code, stderr } = await ground.run("logs backup/slow", { sender: starting(1) });
  expect([code, stderr]).toEqual([1, expect.stringContaining("error: its mover has said nothing yet")]);
  expect(stderr).toContain("fix: Follow it with -f");
});
