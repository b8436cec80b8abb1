import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../../src/kube/object.ts";
import { fencedBlocks } from "./fenced_blocks.ts";
import type { Page } from "./pages.ts";

/** What a block of YAML in the documentation is: objects to apply, or values for the chart. */
export type YamlBlock = { readonly at: string } & (
  | { readonly objects: readonly KubeObject[] }
  | { readonly values: Readonly<Record<string, unknown>> }
);

/** The first line of a block that is not to be applied, but given to helm. */
const VALUES = "# values.yaml\n";

/** The blocks of YAML of a page. Throws on one of which nobody could tell what it is for. */
export function yamlBlocks({ path, text }: Page): readonly YamlBlock[] {
  return fencedBlocks(text)
    .filter(({ language }) => language === "yaml")
    .map((block) => {
      const at = `${path}:${block.line}`;
      const documents = parseAllDocuments(block.text).map((document) => {
        if (document.errors[0]) throw new Error(`${at}: ${document.errors[0].message}`);
        return document.toJS() as KubeObject;
      });
      if (block.text.startsWith(VALUES)) return { at, values: { ...documents[0] } };
      if (documents.every(({ apiVersion, kind }) => apiVersion && kind)) return { at, objects: documents };
      throw new Error(
        `${at} is neither an object with apiVersion and kind, nor begins with "${VALUES.trim()}"`,
      );
    });
}
