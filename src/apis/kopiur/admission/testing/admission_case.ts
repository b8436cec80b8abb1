import { ANNOTATIONS } from "../../../../kinds/kopiur/annotations.ts";

/** An object as somebody writes it, without what the API server fills in. */
export interface Manifest {
  readonly kind: string;
  readonly name: string;
  /** Absent for what has none. */
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly status?: object;
}

/** Who writes: someone of the one namespace alone, someone who may do everything, or the operator. */
export type CaseAuthor = "stranger" | "reader" | "operator";

/** Something that is written while other things are there, and what becomes of it. It runs in any world. */
export interface AdmissionCase {
  /** Ends the sentence "… takes" or "… refuses". */
  readonly name: string;
  /** What is there already, in the order in which it was made; whatever is said of it. */
  readonly given?: readonly Manifest[];
  readonly object: Manifest;
  /** Default stranger. */
  readonly author?: CaseAuthor;
  /** What is written, over what was given, between the object and its change; as the whole spec and status. */
  readonly meanwhile?: readonly Manifest[];
  /** The object is taken as it is, whatever is said of it; the case is about this change. */
  readonly change?: Partial<Pick<Manifest, "spec" | "annotations" | "labels">>;
  /** The whole refusal. Default: it is taken. */
  readonly refused?: string;
  /** All warnings. Default: none. */
  readonly warnings?: readonly string[];
  /** What of the object is stored. Default: not looked at. */
  readonly stored?: object;
}

/** The namespaces of all cases. */
export const CASE_NAMESPACES = [
  { name: "tenant-a" },
  { name: "tenant-b", labels: { tier: "gold" } },
  {
    name: "tenant-root",
    annotations: {
      [ANNOTATIONS.allowPrivilegedMovers]: "true",
      [ANNOTATIONS.allowedConfigNamespaces]: "platform, tenant-a",
    },
  },
  { name: "platform" },
] as const;

/** Where the operator is. */
export const OPERATOR_NAMESPACE = "platform";

/** What has no namespace, or is one: no other word in a case holds these, so that a world can name them otherwise. */
export const CASE_NAMES: readonly string[] = [...CASE_NAMESPACES.map(({ name }) => name), "commons"];
