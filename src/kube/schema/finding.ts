/** Something about a CRD that the API server would refuse, or that our own rules forbid. */
export interface Finding {
  /** Where in the CRD. */
  readonly path: string;
  readonly message: string;
  /** A warning leaves the CRD usable. */
  readonly severity: "error" | "warning";
}

export function error(path: string, message: string): Finding {
  return { path, message, severity: "error" };
}

export function warning(path: string, message: string): Finding {
  return { path, message, severity: "warning" };
}
