import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { builtinResources } from "../../src/embedded/kinds/builtin_resources.ts";
import { definitionName, definitions } from "../../src/embedded/kinds/definitions.ts";
import { run } from "../cluster/run.ts";
import { writeJsonModule } from "./json_module.ts";

// Writes the field numbers of the built-in kinds' protobuf messages, as the pinned Go modules of Kubernetes have
// them. To be run after builtin_schemas.ts, when the version of Kubernetes changes.

const MODULES = ["k8s.io/api", "k8s.io/apimachinery"] as const;
const FIELD = /^ {2}(?:(optional|repeated) (\S+)|map<string, (\S+)>) (\w+) = (\d+);/;
const SCALARS = ["string", "bytes", "bool", "int32", "int64", "double"];
/** Nobody sends these as protobuf. */
const LEFT_OUT = ["apiextensions.k8s.io"];

/** Field number to name, type and, where it is not one value, how many. */
type Message = Record<string, readonly [name: string, type: string, form?: "list" | "map" | "inline"]>;

const folders = new Map<string, string>();
for (const module of MODULES) {
  const listed = await run("go", ["list", "-m", "-f", "{{.Dir}}", module], {
    cwd: join(import.meta.dirname, "../programs/kubernetes"),
  });
  folders.set(module, listed.trim());
}

const packages = new Map<string, Promise<Map<string, Message>>>();
const messages: Record<string, Message> = {};
for (const resource of builtinResources) {
  const name = definitionName(resource);
  if (name && !LEFT_OUT.includes(resource.group)) await add(name.replace(/^io\.k8s\./, "k8s.io."));
}
const sorted = Object.entries(messages).sort(([a], [b]) => (a < b ? -1 : 1));
await writeJsonModule("messages", Object.fromEntries(sorted), {
  what: "Field numbers of the built-in kinds' protobuf messages",
  source: `the Go modules ${MODULES.join(" and ")} of the pinned Kubernetes`,
  owner: "The Kubernetes Authors",
});

async function add(name: string): Promise<void> {
  if (messages[name]) return;
  const dot = name.lastIndexOf(".");
  const message = (await readPackage(name.slice(0, dot))).get(name.slice(dot + 1));
  if (!message) throw new Error(`there is no message ${name}`);
  messages[name] = message;
  for (const [, type] of Object.values(message)) if (type.includes(".")) await add(type);
}

/** The messages of a package such as `k8s.io.api.core.v1`. */
function readPackage(name: string): Promise<Map<string, Message>> {
  const known = packages.get(name);
  if (known) return known;
  const [, , module = "", ...path] = name.split(".");
  const folder = folders.get(`k8s.io/${module}`);
  if (!folder) throw new Error(`no module holds ${name}`);
  const parsed = readFile(join(folder, ...path, "generated.proto"), "utf8").then((text) => parse(name, text));
  packages.set(name, parsed);
  return parsed;
}

function parse(packageName: string, text: string): Map<string, Message> {
  const found = new Map<string, Message>();
  let current: { readonly name: string; readonly fields: Message } | undefined;
  for (const line of text.split("\n")) {
    const [, started] = /^message (\w+) \{/.exec(line) ?? [];
    if (started) {
      current = { name: started, fields: {} };
      found.set(started, current.fields);
    }
    const [, label, single, mapped, name = "", number = ""] = FIELD.exec(line) ?? [];
    if (!current || !name) continue;
    const type = qualified(packageName, single ?? mapped ?? "");
    const form = mapped ? "map" : label === "repeated" ? "list" : undefined;
    const inline = form === undefined && type.includes(".") && !isField(packageName, current.name, name);
    current.fields[number] = inline ? [name, type, "inline"] : form ? [name, type, form] : [name, type];
  }
  return found;
}

function qualified(packageName: string, type: string): string {
  if (SCALARS.includes(type)) return type;
  return type.startsWith(".") ? type.slice(1) : `${packageName}.${type}`;
}

/** In JSON the fields of some messages stand among those of the message around them. */
function isField(packageName: string, message: string, field: string): boolean {
  const definition = definitions.get(`${packageName.replace(/^k8s\.io\./, "io.k8s.")}.${message}`);
  return !definition?.properties || Object.hasOwn(definition.properties, field);
}
