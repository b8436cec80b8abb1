/**
 * Who deals with a field. What people write is read, so that it has to be as it was checked. What this program writes
 * must not be refused; what nobody else does need only be kept.
 */
export interface FieldUse {
  readonly read: boolean;
  readonly written: boolean;
}
