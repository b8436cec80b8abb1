/**
 * Node's `node:https` and `node:tls`. A bundle loads what is imported by name at its start, also where only a part that
 * is loaded later needs it; these come with that part.
 */
export const https = process.getBuiltinModule("node:https");
export const tls = process.getBuiltinModule("node:tls");
