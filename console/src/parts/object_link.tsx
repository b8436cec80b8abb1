import { useQuery } from "@tanstack/react-query";
import type { ObjectRef } from "../../../src/core/view/shown_object.ts";
import { sessionQuery } from "../api/queries.ts";
import { resourceOf } from "../text/kinds.ts";
import * as links from "../text/links.ts";
import { To } from "./to.tsx";

interface ObjectLinkProps {
  readonly object: ObjectRef & { readonly api?: string };
  /** Its kind is named. */
  readonly kind?: boolean;
  /** Its name alone, where its namespace is beside it. */
  readonly short?: boolean;
}

/** An object's name, as a link to its page where it has one. */
export function ObjectLink({ object, kind = true, short = false }: ObjectLinkProps) {
  const { data: session } = useQuery(sessionQuery);
  const whole = `${kind ? `${object.kind} ` : ""}${object.namespace ? `${object.namespace}/` : ""}${object.name}`;
  const text = short ? object.name : whole;
  const resource = resourceOf(session?.apis, object);
  if (object.kind === "PersistentVolumeClaim") return <To place={links.volume(object)}>{text}</To>;
  if (/Repository$|BackupStorageLocation$/.test(object.kind))
    return <To place={links.repository(object)}>{text}</To>;
  return resource ? <To place={links.object(resource, object)}>{text}</To> : <span>{text}</span>;
}
