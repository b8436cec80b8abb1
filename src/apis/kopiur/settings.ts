/** What the program decides for all objects of this API. */
export interface KopiurSettings {
  /** The image of every mover, unless a repository names another. */
  readonly moverImage: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
}
