import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemProcesses } from "../../src/lib/processes.ts";
import { SEARCH_PATH } from "../../tools/cluster/programs.ts";
import { testEngine } from "../../tools/images/test_engines.ts";

/**
 * Backs a folder up as VolSync's mover does with restic: mounted at /data, from within, as the host `volsync`. The
 * repository is made where there is none. `settings` are those of its Secret.
 */
export async function backUpAsVolsync(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "volsync-"));
  try {
    copyFileSync(testEngine("restic"), join(root, "restic"));
    const env = { PATH: SEARCH_PATH, ROOT: root, FOLDER: folder, TMPDIR: "/tmp", ...settings };
    const { code, stderr } = await systemProcesses.run("unshare", ["--mount", "sh", "-euc", SCRIPT], { env });
    if (code !== 0) throw new Error(`restic ended with ${code}: ${stderr}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The mount is gone with the process, which alone sees it. */
const SCRIPT = `
mkdir "$ROOT/data" "$ROOT/tmp"
mount --bind "$FOLDER" "$ROOT/data"
restic() { unshare --root="$ROOT" --wd=/data /restic --no-cache "$@"; }
restic cat config >/dev/null 2>&1 || restic init
restic backup --host volsync --exclude=lost+found .
`;
