import type { SessionWriter } from "../../core/work/session/session_objects.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";

/** On everything that a session of the command line is made of. */
const CLI_LABEL = "holdfast.dev/cli-session";

type Map = Readonly<Record<string, string>>;

/**
 * A writer whose objects do not look like the operator's: that removes sessions and runs which it does not know, and
 * this one is somebody else's.
 */
export function markedAsOurs(writer: SessionWriter): SessionWriter {
  return {
    create: (resource, draft, options) => writer.create(resource, relabelled(draft), options),
    patch: (resource, name, patch, options) => writer.patch(resource, name, patch, options),
    delete: (resource, name, options) => writer.delete(resource, name, options),
  };
}

/** Labels and annotations of the operator's are exchanged for our own, also in a Job's pods. */
function relabelled<T extends KubeObject>(draft: Draft<T>): Draft<T> {
  const { spec } = draft as { readonly spec?: { readonly template?: { readonly metadata?: object } } };
  const template = spec?.template;
  return {
    ...draft,
    metadata: marked(draft.metadata),
    ...(template
      ? { spec: { ...spec, template: { ...template, metadata: marked(template.metadata ?? {}) } } }
      : {}),
  } as Draft<T>;
}

function marked<M extends { readonly labels?: Map; readonly annotations?: Map }>(metadata: M): M {
  return {
    ...metadata,
    labels: { ...foreign(metadata.labels), [CLI_LABEL]: "true" },
    annotations: foreign(metadata.annotations),
  };
}

function foreign(map: Map = {}): Map {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !key.startsWith("holdfast.dev/")));
}
