import type { KubeObject } from "../../kube/object.ts";
import type { Call } from "./command.ts";

/** Prints objects in the form that was asked for. False where that is text, which the command knows best. */
export async function printed(
  call: Pick<Call, "given" | "out">,
  objects: readonly KubeObject[],
): Promise<boolean> {
  const { output } = call.given;
  if (output === "name") {
    for (const { kind, apiVersion, metadata } of objects)
      call.out(`${kind.toLowerCase()}.${groupOf(apiVersion)}/${metadata.name}`);
    return true;
  }
  const value = objects.length === 1 ? objects[0] : { apiVersion: "v1", kind: "List", items: objects };
  return printedValue(call, value);
}

/** The same for what is no list of objects. */
export async function printedValue(call: Pick<Call, "given" | "out">, value: unknown): Promise<boolean> {
  const { output } = call.given;
  if (output === "json") {
    call.out(JSON.stringify(value, null, 2));
    return true;
  }
  if (output !== "yaml") return false;
  const { stringify } = await import("yaml");
  call.out(stringify(value).trimEnd());
  return true;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
