/** The commit gate for a page of tenants: which are open, what an unreadable row closes, and how little is read. */
import { creationOperationId } from '@platform/contracts-provisioning';
import type { CheckedCollection } from '@platform/durable/record';
import { forged } from '@platform/durable/testing';
import type { Revisioned } from '@platform/kernel';
import { StoreUnavailableError, type Draft } from '@platform/mongo';
import type { Attempt } from '../domain/attempt';
import type { CreationMarker, MarkerState } from '../domain/marker';
import { attemptsCollection, markersCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld } from '../testing/provisioning-world';
import { committedAmong, type GatePorts } from './is-provisioning-committed';

/** What the store holds of one tenant. */
interface Rows {
  readonly marker?: MarkerState | 'unreadable';
  readonly attempt?: Attempt['status'] | 'unreadable';
}

/** The same collection; each read is noted, with the id of a single record. */
function noted<T extends Revisioned>(
  collection: CheckedCollection<T>,
  name: string,
  reads: string[],
): CheckedCollection<T> {
  const note = <Read>(what: string, read: Read): Read => {
    reads.push(`${name}: ${what}`);
    return read;
  };
  return {
    ...collection,
    findById: (id) => note(id, collection.findById(id)),
    find: (...given) => note('find', collection.find(...given)),
    count: (filter) => note('count', collection.count(filter)),
  };
}

async function gateOver(tenants: Readonly<Record<string, Rows>>) {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  for (const [tenantId, { marker, attempt }] of Object.entries(tenants)) {
    const markerRow = { _id: creationOperationId(tenantId), tenantId, provisioningState: marker };
    const attemptRow = { _id: tenantId, tenantId, status: attempt };
    // A row without a revision is no record.
    if (marker === 'unreadable') world.store.collection(markersCollection).put(markerRow);
    else if (marker) await ports.markers.insert(forged(markerRow as Draft<CreationMarker>));
    if (attempt === 'unreadable') world.store.collection(attemptsCollection).put(attemptRow);
    else if (attempt) await ports.attempts.insert(forged(attemptRow as Draft<Attempt>));
  }
  const reads: string[] = [];
  const gate: GatePorts = {
    markers: noted(ports.markers, 'markers', reads),
    attempts: noted(ports.attempts, 'attempts', reads),
  };
  return { world, gate, reads, ask: (...tenantIds: string[]) => committedAmong(gate, tenantIds) };
}

/** Every tenant whose rows can be read, in the order in which it is asked for. */
const readable = {
  legacy: {},
  'paid-and-marked': { marker: 'committed', attempt: 'awaiting_payment' },
  'marked-only': { marker: 'committed' },
  preparing: { marker: 'preparing', attempt: 'preparing' },
  unpaid: { marker: 'awaiting_payment', attempt: 'awaiting_payment' },
  'taken-back': { marker: 'cancelled', attempt: 'cancelled' },
  'not-marked-yet': { attempt: 'preparing' },
  'committed-without-marker': { attempt: 'committed' },
} satisfies Record<string, Rows>;

describe('the commit gate for a page of tenants', () => {
  it('is open for legacy tenants and for committed creations, in the order of the question', async () => {
    const { ask } = await gateOver(readable);
    expect(await ask(...Object.keys(readable))).toEqual([
      'legacy',
      'paid-and-marked',
      'marked-only',
      'committed-without-marker',
    ]);
  });

  it.each([
    ['paid-and-marked', ['paid-and-marked']],
    ['not-marked-yet', []],
  ])('judges %s by its own rows, though other rows come first', async (tenantId, open) => {
    const others = { a: { marker: 'cancelled' }, b: { attempt: 'preparing' } } as const;
    const { ask } = await gateOver({ ...others, [tenantId]: readable[tenantId as keyof typeof readable] });
    expect(await ask(tenantId)).toEqual(open);
  });

  it('answers an empty page without a read', async () => {
    const { ask, reads } = await gateOver(readable);
    expect(await ask()).toEqual([]);
    expect(reads).toEqual([]);
  });

  it('reads a page of marked tenants with one query', async () => {
    const { ask, reads } = await gateOver(readable);
    expect(await ask('marked-only', 'preparing')).toEqual(['marked-only']);
    expect(reads).toEqual(['markers: find']);
  });

  it('reads a page that lacks a marker with two queries and two counts, and no record singly', async () => {
    const { ask, reads } = await gateOver(readable);
    await ask(...Object.keys(readable));
    expect(reads).toEqual(['markers: find', 'attempts: find', 'markers: count', 'attempts: count']);
  });

  it.each([
    ['marker', { marker: 'unreadable' }],
    ['attempt', { attempt: 'unreadable' }],
  ] as const)(
    'is closed for a tenant whose %s cannot be read, and open for the others as before',
    async (_of, rows) => {
      const { ask, reads } = await gateOver({ ...readable, malformed: rows });
      expect(await ask('malformed', 'legacy', 'marked-only', 'committed-without-marker')).toEqual([
        'legacy',
        'marked-only',
        'committed-without-marker',
      ]);
      // Only a tenant of which no row was read may be the one whose row is malformed.
      const singly = reads.filter((read) => !/: (?:find|count)$/.test(read));
      expect(new Set(singly.map((read) => read.split(':').at(-1)?.trim()))).toEqual(new Set(['malformed', 'legacy']));
    },
  );

  it('does not answer when the store becomes unreachable while a tenant is read singly', async () => {
    const { world, gate } = await gateOver({ malformed: { marker: 'unreadable' } });
    const markers: GatePorts['markers'] = {
      ...gate.markers,
      findById: (id) => {
        world.store.setAvailable(false);
        return gate.markers.findById(id);
      },
    };
    await expect(committedAmong({ ...gate, markers }, ['malformed'])).rejects.toThrow(StoreUnavailableError);
  });
});
