import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { helmProgram } from "../scenarios/helm_program.ts";
import { fencedBlocks } from "../unit/docs/fenced_blocks.ts";
import { testKubeconfig } from "./world.ts";

const PAGE = "docs/guides/install.md";

/** The commands of the guide, for somebody in the project's folder who has helm, kubectl and a cluster. */
export class InstallGuide implements Disposable {
  /** Files that a command of the guide takes for granted are put here. */
  readonly folder = mkdtempSync(join(tmpdir(), "install-guide-"));

  constructor() {
    for (const name of ["charts", "src"]) symlinkSync(resolve(name), join(this.folder, name));
    mkdirSync(join(this.folder, "bin"));
    symlinkSync(pinnedProgram("kubectl"), join(this.folder, "bin/kubectl"));
    symlinkSync(helmProgram(), join(this.folder, "bin/helm"));
  }

  /** Runs the one block that holds this text, up to its first failure, with what the reader is to put in. */
  async follow(holding: string, put: Readonly<Record<string, string>> = {}): Promise<string> {
    const blocks = fencedBlocks(readFileSync(PAGE, "utf8")).filter(({ language }) => language === "console");
    const [block, ...others] = blocks.filter(({ text }) => text.includes(holding));
    if (!block || others.length > 0) throw new Error(`not one block of ${PAGE} holds ${holding}`);
    const commands = block.text.replaceAll(/^\$ /gm, "");
    const script = Object.entries(put).reduce(
      (text, [word, value]) => text.replaceAll(word, value),
      commands,
    );
    const env = {
      PATH: `${join(this.folder, "bin")}:${process.env.PATH}`,
      HOME: this.folder,
      KUBECONFIG: testKubeconfig(),
    };
    const { stdout } = await promisify(execFile)("bash", ["-ec", script], { cwd: this.folder, env });
    return stdout;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
