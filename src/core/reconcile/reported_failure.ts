import { Failure, type FailureClass } from "../../kube/failure.ts";

/** A failure of which the object's status says more than a condition has room for. */
export class ReportedFailure extends Failure {
  /** The fields of the status that say it. */
  readonly status: object;

  constructor(failureClass: FailureClass, reason: string, message: string, status: object) {
    super(failureClass, reason, message);
    this.status = status;
  }
}
