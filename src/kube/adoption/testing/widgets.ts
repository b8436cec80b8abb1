import type { Resource } from "../../resource.ts";

/** A kind of somebody else. */
export const WIDGETS: Resource = {
  group: "example.org",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
