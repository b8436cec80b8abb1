import { ERROR_CLASSES, type ErrorClass, type Retry } from "./error_classes.ts";
import type { Owner } from "./snapshot.ts";

/** What an engine's failure says, in the form that crosses between mover and operator. */
export interface EngineFailure {
  readonly class: ErrorClass;
  /** What failed and why, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The engine's own words, without secrets, bounded. */
  readonly detail?: string;
  /** To whom all belongs, a part of which could not be read: whoever runs as this user may. */
  readonly owner?: Owner;
}

export interface EngineErrorOptions {
  /** More exact than the class's own remedy. */
  readonly remedy?: string;
  readonly detail?: string;
  readonly owner?: Owner;
  readonly cause?: unknown;
}

const MAX_DETAIL = 1024;

/** A failed operation of an engine. Its class fixes what happens next. */
export class EngineError extends Error {
  override name = "EngineError";
  readonly class: ErrorClass;
  readonly remedy: string;
  readonly detail: string | undefined;
  readonly owner: Owner | undefined;

  constructor(errorClass: ErrorClass, message: string, options: EngineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.class = errorClass;
    this.remedy = options.remedy ?? ERROR_CLASSES[errorClass].remedy;
    this.owner = options.owner;
    this.detail = options.detail?.slice(-MAX_DETAIL);
  }

  get retry(): Retry {
    return ERROR_CLASSES[this.class].retry;
  }

  toJSON(): EngineFailure {
    const { message, remedy, detail, owner } = this;
    return { class: this.class, message, remedy, ...(detail ? { detail } : {}), ...(owner ? { owner } : {}) };
  }
}
