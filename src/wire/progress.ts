/** How far an operation is. Absent figures are not known; figures never go back within one operation. */
export interface Progress {
  /** Of work on a repository itself: what the engine counts there, such as packs. */
  readonly files?: number;
  readonly bytes?: number;
  /** Bytes read and hashed. */
  readonly hashedBytes?: number;
  /** Bytes taken over unread from an earlier snapshot. */
  readonly cachedBytes?: number;
  /** Bytes sent to the repository. */
  readonly uploadedBytes?: number;
  /** Bytes that the engine has read and written so far: files, storage and network. */
  readonly movedBytes?: number;
  readonly estimatedFiles?: number;
  readonly estimatedBytes?: number;
  readonly secondsRemaining?: number;
  readonly errors?: number;
}
