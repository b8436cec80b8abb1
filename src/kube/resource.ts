import type { KubeObject } from "./object.ts";

/** A kind as the API serves it; `T` is the shape of its objects. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Only in the type system: ties the resource to the shape of its objects. */
  readonly shape?: T;
}

export function apiVersionOf(resource: Resource): string {
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}

/** The fields of an object that say of which kind it is. */
export function typeOf(resource: Resource): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** How a resource is named to people and in metrics: `pods`, `jobs.batch`. */
export function resourceName(resource: Resource): string {
  return resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
}

export interface ResourceScope {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a collection, an object or a subresource. Throws on a name that would change the path. */
export function pathOf(resource: Resource, scope: ResourceScope = {}): string {
  const parts = resource.group ? ["/apis", resource.group] : ["/api"];
  // Without one it is the group itself, which tells its versions.
  if (resource.version) parts.push(resource.version);
  if (resource.namespaced && scope.namespace !== undefined)
    parts.push("namespaces", segment(scope.namespace));
  if (resource.plural) parts.push(resource.plural);
  if (scope.name !== undefined) {
    if (resource.namespaced && scope.namespace === undefined) {
      throw new TypeError(`${resource.kind} ${scope.name}: a namespace is needed`);
    }
    parts.push(segment(scope.name));
  }
  if (scope.subresource !== undefined) parts.push(scope.subresource);
  return parts.join("/");
}

function segment(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("%")) {
    throw new TypeError(`${JSON.stringify(name)} is not an object name`);
  }
  return encodeURIComponent(name);
}
