/** Whether the kind has a namespace: without one, what it refers to must name its own. */
export type Scope = "Namespaced" | "Cluster";
