import { Refusal } from "./refusal.ts";

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
