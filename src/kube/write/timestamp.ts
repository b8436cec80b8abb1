/** A moment as Kubernetes' `metav1.Time` has it: RFC 3339, UTC, whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -".000Z".length)}Z`;
}
