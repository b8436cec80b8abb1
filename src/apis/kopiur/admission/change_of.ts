import type { AdmissionRequest } from "../../../kube/admission/review.ts";
import type { Around, Change } from "./check.ts";
import type { Guarded, GuardPorts } from "./guard.ts";

/** The change as it will be stored: in its namespace, and with the status that it has, not the one that was sent. */
export function changeOf<T extends Guarded>(request: AdmissionRequest<T>): Change<T> | undefined {
  const { object: sent, oldObject: old, namespace } = request;
  if (!sent) return undefined;
  const { status: _, ...rest } = sent;
  const metadata = { ...sent.metadata, ...(namespace ? { namespace } : {}) };
  const object = { ...rest, metadata, ...(old?.status ? { status: old.status } : {}) } as unknown as T;
  return { object, old };
}

export function aroundOf(ports: GuardPorts, { user }: Pick<AdmissionRequest, "user">): Around {
  const { lookup, operatorNamespace, isOperator, namespace } = ports;
  return { lookup, operatorNamespace, isOperator: isOperator(user), namespace };
}
