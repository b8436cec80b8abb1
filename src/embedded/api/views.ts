import { apiVersionOf } from "../../kube/resource.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest } from "../../lib/https_server.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { type TableOptions, tableOf } from "../kinds/table.ts";
import type { Stored } from "../store/store.ts";
import type { ListPage } from "./list.ts";
import { present } from "./present.ts";
import { Refusal } from "./refusal.ts";
import type { WatchFrame } from "./watch.ts";

/** How a client wants to see objects of a kind. */
export interface View extends TableOptions {
  readonly kind: KindInfo;
  readonly form: Form;
}

const META = "meta.k8s.io/v1";

/** What a request asks for: its Accept header says in which form. */
export function viewOf(kind: KindInfo, { headers, query }: ServedRequest, clock: Clock): View {
  const given = query.get("includeObject");
  const includeObject = given === "None" || given === "Object" ? given : "Metadata";
  return { kind, form: formOf(headers.accept), includeObject, now: clock.now() };
}

/** One object. */
export function viewObject(view: View, stored: Stored): object {
  const object = present(view.kind, stored);
  if (view.form === "object") return object;
  if (view.form === "metadata") return metadataOnly(object);
  const { resourceVersion } = object.metadata;
  return { ...tableOf(view.kind, [object], view), metadata: { resourceVersion } };
}

/** A list of them. The items of built-in kinds do not repeat their type. */
export function viewList(view: View, { items, metadata }: ListPage): object {
  const { kind, form } = view;
  const objects = items.map((item) => present(kind, item));
  if (form === "table") return { ...tableOf(kind, objects, view), metadata };
  if (form === "metadata") {
    return {
      kind: "PartialObjectMetadataList",
      apiVersion: META,
      metadata,
      items: objects.map(metadataOnly),
    };
  }
  const type = { kind: `${kind.resource.kind}List`, apiVersion: apiVersionOf(kind.resource) };
  if (!kind.custom) return { ...type, metadata, items: objects.map(untyped) };
  return { ...type, metadata: { continue: "", ...metadata }, items: objects };
}

/** One line of a watch. */
export function viewFrame(view: View, frame: WatchFrame): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type: frame.type, object: framed(view, frame) })}\n`);
}

function framed(view: View, { type, object }: WatchFrame): object {
  if (type === "ERROR") return object;
  if (type !== "BOOKMARK") return viewObject(view, object);
  const { metadata } = object;
  if (view.form === "metadata") return { kind: "PartialObjectMetadata", apiVersion: META, metadata };
  return view.form === "table" ? { ...tableOf(view.kind, [], view), metadata } : object;
}

function metadataOnly({ metadata }: Stored): object {
  return { kind: "PartialObjectMetadata", apiVersion: META, metadata };
}

function untyped({ apiVersion: _, kind: __, ...rest }: Stored): object {
  return rest;
}

/** In what form the client wants its objects. */
export type Form = "object" | "table" | "metadata";

const KNOWN = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/** The first form of an Accept header that can be had; always in JSON. */
export function formOf(accept: string | undefined): Form {
  if (!accept) return "object";
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!["application/json", "application/*", "*/*"].includes(type.toLowerCase())) continue;
    const given = new Map(parameters.map((text) => text.split("=", 2) as [string, string]));
    const as = given.get("as");
    if (as === undefined) return "object";
    if (given.get("g") !== "meta.k8s.io" || given.get("v") !== "v1") continue;
    if (as === "Table") return "table";
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return "metadata";
  }
  const streams = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  const message = `406: Not Acceptable\n\nAvailable representations: ${KNOWN}, ${streams}`;
  throw new Refusal(406, "NotAcceptable", message, {});
}
