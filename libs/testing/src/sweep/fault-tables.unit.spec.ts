import { combineFaults, messagingFaults, providerSendFaults, storeFaults } from './fault-tables';
import type { PortCall } from './tape';

class Away extends Error {}

interface World {
  readonly armed: string[];
}

const table = combineFaults<World>(
  storeFaults({ port: 'store', unavailable: () => new Away('away') }),
  messagingFaults({ port: 'messaging' }),
  providerSendFaults({
    port: 'provider',
    kinds: ['lost', 'refused'],
    arm: (world, kind) => void world.armed.push(kind),
  }),
);

const callOf = (name: string): PortCall => ({ k: 1, port: name.split('.')[0]!, name, args: [] });

/** Whether the effect happened, and the caller's answer. */
async function meet(
  name: string,
  faultName: string,
): Promise<{ readonly done: boolean; readonly told: unknown; readonly armed: readonly string[] }> {
  const call = callOf(name);
  const world: World = { armed: [] };
  let done = false;
  const invoke = async () => {
    done = true;
    return 'plain';
  };
  const fault = table(call).find((candidate) => candidate.name === faultName)!;
  const told = await fault.answer(invoke, { world, call }).catch((error: unknown) => error);
  return { done, told, armed: world.armed };
}

const unknown = expect.objectContaining({ outcome: 'unknown' }) as unknown;
const away = expect.any(Away) as unknown;

describe('the fault tables', () => {
  it.each([
    ['store.collection(a).insert', 'unknown_applied', true, unknown],
    ['store.collection(a).insert', 'unknown_not_applied', false, unknown],
    ['store.collection(a).mutate', 'lost_race', false, { outcome: 'not_applied' }],
    ['store.collection(a).remove', 'unknown_applied', true, unknown],
    ['store.collection(a).remove', 'lost_race', false, { outcome: 'not_applied' }],
    ['store.collection(a).findById', 'unavailable', false, away],
    ['store.now', 'unavailable', false, away],
    ['store.collection(a).outbox.confirm', 'unavailable_applied', true, away],
    ['messaging.publish', 'unknown_published', true, 'unknown'],
    ['messaging.publish', 'unknown_not_published', false, 'unknown'],
    ['messaging.request', 'timeout_served', true, { ok: false, error: { code: 'timeout', message: 'simulated' } }],
    [
      'messaging.request',
      'no_responders',
      false,
      { ok: false, error: { code: 'no_responders', message: 'simulated' } },
    ],
    ['provider.retrieveCustomer', 'unanswered_read', false, unknown],
  ])('%s meets %s: effect %s', async (name, fault, done, told) => {
    expect(await meet(name, fault)).toEqual({ done, told, armed: [] });
  });

  it('arm the fake and let the send go to it', async () => {
    expect(table(callOf('provider.credit(a).send')).map((fault) => fault.name)).toEqual(['lost', 'refused']);
    expect(await meet('provider.credit(a).send', 'lost')).toEqual({ done: true, told: 'plain', armed: ['lost'] });
  });

  it('propose nothing for calls that they do not know', () => {
    expect(table(callOf('store.close'))).toEqual([]);
    expect(table(callOf('messaging.consume'))).toEqual([]);
    expect(table(callOf('other.insert'))).toEqual([]);
  });
});
