/** A cluster with a node cannot run here, or not as asked. */
export class NodeImpossible extends Error {
  override name = "NodeImpossible";
}
