/** The patch cannot be applied; code and message are those of the API server's answer. */
export class PatchRefused extends Error {
  override name = "PatchRefused";
  readonly code: 400 | 413 | 422 | 500;

  constructor(code: PatchRefused["code"], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
