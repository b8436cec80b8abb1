import { RESERVED_TAG_PREFIX } from "../../wire/tags.ts";
import type { Violation } from "../reconcile/violation.ts";

/** What is wrong with a tag for snapshots of an engine that keeps lists of tags. */
export function tagViolation(tag: string, field: string, engine: string): readonly Violation[] {
  const reserved = tag.startsWith(RESERVED_TAG_PREFIX);
  const [key = "", ...rest] = tag.split("=");
  const value = rest.join("=");
  const kept = /^[A-Za-z0-9.-]+$/.test(key) && !/[,\n]/.test(value) && value.trim() === value;
  if (kept && !reserved) return [];
  return [
    {
      reason: "TagInvalid",
      field,
      what: `the tag ${JSON.stringify(tag)} cannot be used`,
      why: reserved
        ? `the operator marks its snapshots with tags that begin with ${RESERVED_TAG_PREFIX}`
        : `${engine} separates tags by commas, and the operator a tag from its value by =`,
      fix: "Use letters, digits, dots and dashes, and behind a = a value without commas",
    },
  ];
}
