/** How far an operation is. Absent figures are not known; figures never go back within one operation. */
export interface Progress {
  readonly files?: number;
  readonly bytes?: number;
  /** Bytes read and hashed. */
  readonly hashedBytes?: number;
  /** Bytes taken over unread from an earlier snapshot. */
  readonly cachedBytes?: number;
  /** Bytes sent to the repository. */
  readonly uploadedBytes?: number;
  readonly estimatedFiles?: number;
  readonly estimatedBytes?: number;
  readonly secondsRemaining?: number;
  readonly errors?: number;
}
