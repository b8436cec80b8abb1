import { posix } from "node:path";

/** Something of the host that a container sees at a path of its own. */
export interface Mount {
  /** A folder or file of the host, without symbolic links. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
  readonly type: "folder" | "file";
}

/** Whom a container runs as, where the node is root. What is absent stays root's. */
export interface RunAs {
  readonly user?: number;
  readonly group?: number;
  readonly groups: readonly number[];
  readonly noNewPrivileges: boolean;
  /** The capabilities that root keeps; all of them when absent. */
  readonly capabilities?: readonly string[];
}

export interface Launch {
  /** Where the script leaves its words and its marks. */
  readonly folder: string;
  readonly argv: readonly string[];
  readonly path: string;
  readonly workingDir: string;
  /** The name of the machine, as the container sees it. */
  readonly hostname: string;
  readonly mounts: readonly Mount[];
  /** Folders of the host that are empty to the container, where it has mounts of its own. */
  readonly hidden: readonly string[];
  readonly runAs: RunAs;
  readonly readOnlyRoot: boolean;
}

/** The folders and links at the top of the host's tree. */
export interface HostRoot {
  readonly folders: readonly { readonly name: string; readonly mode: number }[];
  readonly links: readonly { readonly name: string; readonly target: string }[];
  /** Further below: those in which mount points have to be made. */
  readonly places: readonly string[];
}

/**
 * How a container is kept apart from the machine: `root` and `user` give it its own mounts and process IDs, made
 * by root or in a user namespace, where everything runs as the user who started the node. `none` gives it a
 * process group.
 */
export type Isolation = "root" | "user" | "none";

/** Where the programs are that the scripts call. */
export const TOOLS_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const HOST = "/.host";
const DEVICES = "null zero full random urandom tty";

/**
 * Keeps the script's own words apart, and notes the process, as the host counts it, that becomes the container's.
 * Variables of the script have names that no container uses: they would change its environment.
 */
const BEGINNING = [
  "set -e",
  "exec 2>setup",
  "read -r _hf_stat < /proc/self/stat",
  "read -r _hf_boot < /proc/sys/kernel/random/boot_id",
  'printf \'%s\\n%s\\n\' "$_hf_stat" "$_hf_boot" > main.new && mv main.new main',
];

/**
 * Waits for the container from outside of its process IDs, of which it is the first: only a shell tells what was
 * killed from what failed. Its own words about that are nobody's log, so the container's errors go to descriptor 4.
 */
const WAITER = 'exec 4>&2 2>/dev/null; "$@"; exit "$?"';

/** The command in front of the shell that runs the script. */
export function namespaces(isolation: Isolation): readonly string[] {
  const user = isolation === "user" ? ["--user", "--map-root-user"] : [];
  const apart = ["--mount", "--propagation", "private", "--uts", "--pid"];
  return [...(isolation === "none" ? [] : ["unshare", ...user, ...apart]), "sh", "-c", WAITER, "sh"];
}

/**
 * The shell script that turns its process into the container. What fails before the container's own program
 * runs is told in the file `setup`; the file `started` says that nothing did; `main` names the process. The script
 * starts in the folder of the launch, with the container's output as its standard output and its descriptor 4.
 *
 * The root that it builds is the host's tree under a layer of memory: a container may write anywhere and
 * create its mount points, and the host does not see it.
 */
export function launchScript(launch: Launch, isolation: Isolation, host: HostRoot): string {
  const { folder, argv, path, workingDir, hostname, mounts, hidden, runAs, readOnlyRoot } = launch;
  const command = argv.map(quote).join(" ");
  const start = [
    `PATH=${quote(path)}`,
    `command -v -- ${quote(argv[0] ?? "")} >/dev/null || { echo ${quote(`exec: ${JSON.stringify(argv[0])}: not found, or not executable`)} >&2; exit 128; }`,
  ];
  if (isolation === "none") {
    return lines(
      ...BEGINNING,
      `cd ${quote(workingDir)}`,
      ...start,
      `: > ${quote(`${folder}/started`)}`,
      `exec ${command} 2>&4 4>&-`,
    );
  }
  const identity = isolation === "root" ? setpriv(runAs) : "";
  return lines(
    ...BEGINNING,
    // Without the program, only root can; and without a name of its own a container still runs.
    `hostname ${quote(hostname)} || printf %s ${quote(hostname)} > /proc/sys/kernel/hostname || :`,
    ...buildRoot(host, isolation === "user" ? host.places : []),
    `mkdir root${HOST}`,
    "cd root",
    `pivot_root . .${HOST}`,
    "cd /",
    ...hidden.map(quote).map((place) => `[ ! -d ${place} ] || mount -t tmpfs -o mode=755 tmpfs ${place}`),
    ...mounts.flatMap(mountCommands),
    `mkdir -p ${quote(workingDir)}`,
    `cd ${quote(workingDir)}`,
    ...(identity ? ["_hf_setpriv=$(command -v setpriv)"] : []),
    `(${start.join("; ")})`,
    `: > ${quote(`${HOST}${folder}/started`)}`,
    `umount -l ${HOST}`,
    `rmdir ${HOST}`,
    ...(readOnlyRoot ? ownFolders(host, mounts).map((folder) => `mount -o remount,bind,ro ${folder}`) : []),
    ...(readOnlyRoot ? ["mount -o remount,bind,ro /"] : []),
    `PATH=${quote(path)}`,
    "export PATH",
    `exec ${identity}${command} 2>&4 4>&-`,
  );
}

/**
 * Where a folder of the host belongs to somebody else, not even the root of a user namespace may add to it. So the layer
 * above it has a folder of its own at each of the `places`, in which what the host has there shows all the same.
 */
function buildRoot({ folders, links }: HostRoot, places: readonly string[]): readonly string[] {
  const names = folders.map(({ name }) => quote(name));
  const special = folders.filter(({ mode }) => mode !== 0o755);
  return [
    "mkdir -p root scratch",
    "mount -t tmpfs -o mode=755 tmpfs root",
    "mount -t tmpfs -o mode=755 tmpfs scratch",
    `mkdir root/proc root/sys root/dev root/run ${names.map((name) => `root/${name}`).join(" ")}`,
    `mkdir -p ${names.map((name) => `scratch/${name}/upper scratch/${name}/work`).join(" ")}`,
    ...special.map(({ name, mode }) => `chmod ${mode.toString(8)} ${quote(`scratch/${name}/upper`)}`),
    ...places.map((place) => `mkdir -p ${quote(place.replace(/^\/([^/]+)/, "scratch/$1/upper"))}`),
    // A folder with other file systems below it has no layer in a user namespace; it is read-only then.
    'layer() { mount -t overlay -o "lowerdir=/$1,upperdir=scratch/$1/upper,workdir=scratch/$1/work" overlay "root/$1" 2>/dev/null || { mount --rbind "/$1" "root/$1" && mount -o remount,bind,ro "root/$1"; }; }',
    ...names.map((name) => `layer ${name}`),
    ...links.map(({ name, target }) => `ln -s ${quote(target)} ${quote(`root/${name}`)}`),
    "mount -t proc proc root/proc 2>/dev/null || mount --rbind /proc root/proc",
    "mount --rbind /sys root/sys",
    "mount -o remount,bind,ro root/sys",
    "mount -t tmpfs -o mode=755 tmpfs root/dev",
    "mkdir -m 1777 root/dev/shm",
    `for _hf_device in ${DEVICES}; do : > root/dev/$_hf_device; mount --bind /dev/$_hf_device root/dev/$_hf_device; done`,
    "ln -s /proc/self/fd root/dev/fd",
    "ln -s fd/0 root/dev/stdin",
    "ln -s fd/1 root/dev/stdout",
    "ln -s fd/2 root/dev/stderr",
  ];
}

/** The folders at the top that are the image's own: a volume may be mounted over one. */
function ownFolders({ folders }: HostRoot, mounts: readonly Mount[]): readonly string[] {
  return folders
    .map(({ name }) => `/${name}`)
    .filter((folder) => !mounts.some(({ target }) => posix.normalize(`${target}/`) === `${folder}/`))
    .map(quote);
}

function mountCommands({ source, target, readOnly, type }: Mount): readonly string[] {
  const at = quote(target);
  return [
    type === "folder"
      ? `mkdir -p ${at}`
      : `mkdir -p ${quote(posix.dirname(target))}; [ -e ${at} ] || : > ${at}`,
    `mount --bind ${readOnly ? "-o ro " : ""}${quote(HOST + source)} ${at}`,
  ];
}

function setpriv(runAs: RunAs): string {
  return `"$_hf_setpriv" ${identityOptions(runAs).join(" ")} -- `;
}

/** What `setpriv` is told, for a program to run as the container does. */
export function identityOptions({
  user,
  group,
  groups,
  noNewPrivileges,
  capabilities,
}: RunAs): readonly string[] {
  return [
    ...(user === undefined ? [] : [`--reuid=${user}`]),
    ...(user === undefined && group === undefined ? [] : [`--regid=${group ?? 0}`]),
    groups.length > 0 ? `--groups=${groups.join(",")}` : "--clear-groups",
    ...(noNewPrivileges ? ["--no-new-privs"] : []),
    ...(capabilities && !user
      ? ["--inh-caps=-all", `--bounding-set=${["-all", ...capabilities.map((name) => `+${name}`)].join(",")}`]
      : []),
  ];
}

function lines(...commands: readonly string[]): string {
  return `${commands.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
