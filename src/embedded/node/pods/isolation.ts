import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Processes } from "../../../lib/processes.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import {
  type HostRoot,
  type Isolation,
  launchScript,
  type Mount,
  namespaces,
  TOOLS_PATH,
} from "./launch_script.ts";

/** Parts of the host's tree that a container gets its own of, or has no use for. */
const OWN = ["proc", "sys", "dev", "run", "lost+found"];

/** Finds out by trying how well pods can be kept apart from this machine; what fails goes to the log. */
export async function probeIsolation(
  processes: Processes,
  state: string,
  isRoot: boolean,
  log: Logger,
): Promise<Isolation> {
  for (const isolation of isRoot ? (["root", "user"] as const) : (["user"] as const)) {
    const problem = await trial(processes, state, isolation);
    if (problem === undefined) return isolation;
    log.info({ isolation, problem }, "pods cannot be isolated this way");
  }
  return "none";
}

async function trial(processes: Processes, state: string, isolation: Isolation): Promise<string | undefined> {
  const folder = realpathSync(mkdtempSync(join(state, "trial-")));
  try {
    const launch = {
      folder,
      argv: ["true"],
      path: TOOLS_PATH,
      workingDir: "/",
      hostname: "trial",
      mounts: [{ source: folder, target: "/etc/holdfast-trial", readOnly: true, type: "folder" as const }],
      hidden: [],
      runAs: { user: 65534, groups: [], noNewPrivileges: true },
      readOnlyRoot: false,
    };
    writeFileSync(join(folder, "launch"), launchScript(launch, isolation, hostRoot(launch.mounts)));
    const [command = "", ...args] = [...namespaces(isolation), "sh", "launch"];
    const { code, stderr } = await processes.run(command, args, { cwd: folder, env: { PATH: TOOLS_PATH } });
    if (code === 0) return undefined;
    // The script keeps its words there; where there is no namespace for it, it never began.
    const setup = join(folder, "setup");
    return (existsSync(setup) ? readFileSync(setup, "utf8") : stderr).trim() || `exit code ${code}`;
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The top of this machine's tree, and what of it mounts will be made in. */
export function hostRoot(mounts: readonly Mount[]): HostRoot {
  const entries = readdirSync("/", { withFileTypes: true }).filter(({ name }) => !OWN.includes(name));
  return {
    folders: entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ name, mode: statSync(`/${name}`).mode & 0o7777 })),
    links: entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => ({ name, target: readlinkSync(`/${name}`) })),
    places: mounts.map(({ target }) => placeOf(target)).filter((place) => /^\/[^/]+\//.test(place)),
  };
}

/** The folder that is there already, nearest above a path; of a path through links, none but the top. */
function placeOf(path: string): string {
  const place = dirname(path);
  if (!existsSync(place)) return placeOf(place);
  return realpathSync(place) === place ? place : "/";
}

/** Where the names of the network are asked for, which on many machines is a file in /run. */
export function resolverMount(): readonly Mount[] {
  const file = "/etc/resolv.conf";
  if (!existsSync(file)) return [];
  const source = realpathSync(file);
  return source.startsWith("/run/") ? [{ source, target: source, readOnly: true, type: "file" }] : [];
}
