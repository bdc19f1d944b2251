/**
 * Checks at start whether an acknowledged write could still be lost. The platform's statements always request majority
 * and journal. What is refused here is a deployment or an address with a weaker setting, because its other writers
 * (shells, scripts, the next configuration) could lose acknowledged writes, and its operators should learn that now.
 */
export class WeakWriteConcernError extends Error {
  override name = 'WeakWriteConcernError';
}

export interface WriteConcernFacts {
  /** The write concern in the connection string, if it contains one. */
  readonly address: { readonly w?: unknown; readonly journal?: unknown } | null;
  /** The server's answer to `hello`. */
  readonly hello: {
    readonly setName?: unknown;
    readonly hosts?: unknown;
    readonly passives?: unknown;
    readonly arbiters?: unknown;
  };
  /** The deployment's explicit default, when the server reports it. */
  readonly defaultWriteConcern: { readonly w?: unknown; readonly j?: unknown } | null;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

/**
 * Whether MongoDB's implicit default is w:1: with arbiters, when the data-bearing members are no more than a majority.
 */
function arbitersWeakenDefault(hello: WriteConcernFacts['hello']): boolean {
  const arbiters = lengthOf(hello.arbiters);
  const bearing = lengthOf(hello.hosts) + lengthOf(hello.passives);
  return arbiters > 0 && bearing <= Math.floor((bearing + arbiters) / 2) + 1;
}

function isWeak(w: unknown): boolean {
  return w !== undefined && w !== 'majority';
}

/** Why the write concern is weak, in words for the operator; null when it is not. */
export function weaknessOf({ address, hello, defaultWriteConcern }: WriteConcernFacts): string | null {
  if (address && isWeak(address.w))
    return `the connection string asks for w=${String(address.w)}; use w=majority or leave it out`;
  if (address?.journal === false) return 'the connection string turns the journal off; leave journal out';
  if (defaultWriteConcern && isWeak(defaultWriteConcern.w))
    return `the deployment's default write concern is w=${String(defaultWriteConcern.w)}; set it to majority (setDefaultRWConcern)`;
  if (defaultWriteConcern?.j === false) return "the deployment's default write concern turns the journal off";
  const explicit = defaultWriteConcern?.w === 'majority';
  if (!explicit && arbitersWeakenDefault(hello)) {
    return (
      'the replica set replaces data-bearing members by arbiters (as primary-secondary-arbiter does), so its default write concern is w=1 and a ' +
      'failover loses acknowledged writes; add a data-bearing member, or set the default to majority (setDefaultRWConcern) and let this user read it'
    );
  }
  return null;
}
