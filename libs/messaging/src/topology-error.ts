/** The broker differs from the topology. `differences`: one line each, in the topology's order. */
export class TopologyError extends Error {
  override name = 'TopologyError';
  constructor(readonly differences: readonly string[]) {
    super(`The broker differs from the declared topology (run infra/nats/apply): ${differences.join('; ')}`);
  }
}
