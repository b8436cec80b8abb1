import type { Pod } from "../../../kube/builtin.ts";
import { Unavailable } from "./keyed_data.ts";

/** What a pod tells its containers about itself, such as `metadata.name` or `metadata.labels['app']`. */
export function podField(pod: Pod, path: string): string {
  const { metadata, spec } = pod;
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript) return metadata[subscript[1] as "labels" | "annotations"]?.[subscript[2] ?? ""] ?? "";
  const fields: Readonly<Record<string, () => string>> = {
    "metadata.name": () => metadata.name,
    "metadata.namespace": () => metadata.namespace ?? "",
    "metadata.uid": () => metadata.uid,
    "metadata.labels": () => pairs(metadata.labels),
    "metadata.annotations": () => pairs(metadata.annotations),
    "spec.nodeName": () => spec?.nodeName ?? "",
    "spec.serviceAccountName": () => spec?.serviceAccountName ?? "default",
    "status.hostIP": () => "127.0.0.1",
    "status.hostIPs": () => "127.0.0.1",
    "status.podIP": () => "127.0.0.1",
    "status.podIPs": () => "127.0.0.1",
  };
  const read = Object.hasOwn(fields, path) ? fields[path] : undefined;
  if (!read) throw new Unavailable(`this node offers no pod field ${path}`);
  return read();
}

function pairs(map: Readonly<Record<string, string>> = {}): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join("\n");
}
