import type { ApiView } from "../../core/view/api_view.ts";
import { complaintOf, type ShownObject } from "../../core/view/shown_object.ts";
import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";

export interface SurroundingsOptions {
  readonly reader: Pick<Reader, "get">;
  readonly view: Pick<ApiView, "dependsOn">;
  readonly signal: AbortSignal;
}

/** What is wrong with what an object names, and with what that names in turn, each in a sentence. */
export async function surroundings(
  options: SurroundingsOptions,
  object: ShownObject,
): Promise<readonly string[]> {
  const { reader, view, signal } = options;
  const lines: string[] = [];
  for (const { resource, name } of view.dependsOn(object)) {
    const found = await reader.get(resource, name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      if (isForbidden(error)) return "forbidden" as const;
      throw error;
    });
    if (found === "forbidden") continue;
    const called = `${resource.kind} ${name.name}`;
    if (!found) {
      lines.push(`It names ${called}, which does not exist.`);
      continue;
    }
    const complaint = complaintOf(found);
    if (complaint !== undefined)
      lines.push(`It names ${called}, which is ${found.status?.phase}: ${complaint}`);
    lines.push(...(await surroundings(options, found)));
  }
  return lines;
}
