/** The mover was told something that it cannot carry out as told. Nothing was begun. */
export class BadWork extends Error {
  override name = "BadWork";
}
