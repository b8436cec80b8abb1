import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "../../src/lib/processes.ts";
import { testEngine } from "../../tools/images/test_engines.ts";
import type { Stage } from "./stage.ts";

/**
 * Backs a folder up as Velero's node agent did with restic, from within the folder. The snapshot's ID. It is a copy of
 * the folder: restic asks where it is, which the kernel does not say of folders of another mount namespace.
 */
export async function backUpWithRestic(
  { world, namespace, password }: Stage,
  folder: string,
): Promise<string> {
  const { s3 } = world;
  if (!s3) throw new Error("this world has no S3 server");
  const home = mkdtempSync(join(tmpdir(), "restic-"));
  const cwd = join(home, "data");
  await run("cp", ["-a", folder, cwd]);
  const endpoint = s3.endpoint.includes("://") ? s3.endpoint : `http://${s3.endpoint}`;
  const env = {
    HOME: home,
    RESTIC_PASSWORD: password,
    RESTIC_REPOSITORY: `s3:${endpoint}/${s3.bucket}/${namespace}/restic/${namespace}`,
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
  };
  const restic = (...args: readonly string[]) => run(testEngine("restic"), args, { env, cwd });
  try {
    await restic("init");
    const lines = (await restic("backup", ".", "--host=velero", "--json")).trim().split("\n");
    return JSON.parse(lines.at(-1) ?? "{}").snapshot_id;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function run(...call: Parameters<typeof systemProcesses.run>): Promise<string> {
  const { code, stdout, stderr } = await systemProcesses.run(...call);
  if (code !== 0) throw new Error(`${call[0]} ${call[1].join(" ")} ended with ${code}: ${stderr}`);
  return stdout.toString();
}
