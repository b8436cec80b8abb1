import type { KubeObject } from "../../kube/object.ts";
import type { Call } from "./command.ts";

/** Prints an object in the form that was asked for. False where that is text, which the command knows best. */
export async function printed(call: Pick<Call, "given" | "out">, object: KubeObject): Promise<boolean> {
  return printedNames(call, [object]) || printedValue(call, object);
}

/** The same for a list of objects, however many there are. */
export async function printedList(
  call: Pick<Call, "given" | "out">,
  items: readonly KubeObject[],
): Promise<boolean> {
  return printedNames(call, items) || printedValue(call, { apiVersion: "v1", kind: "List", items });
}

function printedNames(call: Pick<Call, "given" | "out">, objects: readonly KubeObject[]): boolean {
  if (call.given.output !== "name") return false;
  for (const { kind, apiVersion, metadata } of objects)
    call.out(`${kind.toLowerCase()}.${groupOf(apiVersion)}/${metadata.name}`);
  return true;
}

/** The same for what is no list of objects. */
export async function printedValue(call: Pick<Call, "given" | "out">, value: unknown): Promise<boolean> {
  const { output } = call.given;
  if (output === "json") {
    call.out(JSON.stringify(value, null, 2).replace(UNESCAPED, escaped));
    return true;
  }
  if (output !== "yaml") return false;
  const { stringify } = await import("yaml");
  call.out(stringify(value).trimEnd());
  return true;
}

/** Control characters that JSON leaves as they are: no line shows them so. */
const UNESCAPED = /[\u007f-\u009f]/g;

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
