/**
 * Pages of recorded resolutions: which are judged, where a page ends, and how the others continue past a broken record.
 */
import { createSequentialIds, type Revisioned } from '@platform/kernel';
import type { CollectionDeclaration } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import { createTickingClock } from '@platform/testing';
import type { OutcomeResolution } from './resolution';
import { contradictedAmong, type WatchedPosition } from './watched';

interface Ended extends Revisioned {
  readonly resolution?: OutcomeResolution;
}

const start = Date.parse('2026-03-01T00:00:00.000Z');
const override = {
  reason: 'the bank confirmed it',
  approvedBy: 'ben@example.com',
  proposedBy: 'ann@example.com',
  contradiction: 'resolution_contradicted: The provider shows no payment.',
};

function resolvedAt(second: number, more: Partial<OutcomeResolution> = {}): OutcomeResolution {
  return {
    outcome: 'applied',
    executorStopped: 'its host was shut down',
    providerObject: null,
    by: 'ann@example.com',
    at: new Date(start + second * 1_000),
    ...more,
  };
}

async function records(resolutions: readonly OutcomeResolution[]) {
  const declaration: CollectionDeclaration<Ended> = {
    name: 'ended',
    indexes: [
      { name: 'by_resolution', key: { 'resolution.at': 1, _id: 1 }, only: { 'resolution.at': { $exists: true } } },
    ],
  };
  const store = createFakeStore({ clock: createTickingClock(), ids: createSequentialIds(1) });
  const ended = store.collection(declaration);
  for (const [at, resolution] of resolutions.entries())
    await ended.insert({ _id: `ended-${String(at).padStart(2, '0')}`, resolution });
  const judged: string[] = [];
  const page = (after?: WatchedPosition, broken?: string) =>
    contradictedAmong<OutcomeResolution, Ended>(
      {
        records: ended,
        contradicts: async ({ _id }) => {
          if (_id === broken) throw new TypeError('a field has another shape');
          judged.push(_id);
          return { tenantId: null, title: 'case', text: 'The provider shows another end.', objects: [] };
        },
      },
      new Date(start),
      after,
    );
  return { ended, judged, page };
}

describe('recorded resolutions that are judged again', () => {
  it('leave out what two people recorded against the evidence', async () => {
    const { judged, page } = await records([resolvedAt(1), resolvedAt(2, { override }), resolvedAt(3)]);
    expect((await page()).contradicted.map(({ itemId }) => itemId)).toEqual(['ended-00', 'ended-02']);
    expect(judged).toEqual(['ended-00', 'ended-02']);
  });

  it('include what two people recorded without waiting for a late effect: what comes is news', async () => {
    const early = { ...override, contradiction: 'late_effect_possible: The request may still be on its way.' };
    const { page } = await records([resolvedAt(1, { outcome: 'not_applied', override: early })]);
    expect((await page()).contradicted.map(({ itemId }) => itemId)).toEqual(['ended-00']);
  });

  it('are read a page at a time, each once, also where many have one instant', async () => {
    const { judged, page } = await records(Array.from({ length: 60 }, () => resolvedAt(1)));
    let next = (await page()).next;
    while (next) next = (await page(next)).next;
    expect(judged).toEqual(Array.from({ length: 60 }, (_, at) => `ended-${String(at).padStart(2, '0')}`));
  });

  it('go on beside a record that cannot be read', async () => {
    const { ended, page } = await records([resolvedAt(1), resolvedAt(2)]);
    expect((await page(undefined, 'ended-00')).contradicted.map(({ itemId }) => itemId)).toEqual(['ended-01']);
    expect(await ended.findById('ended-01')).not.toBeNull();
  });

  it('leave out those from before the watch began', async () => {
    const { judged, page } = await records([resolvedAt(-1), resolvedAt(0), resolvedAt(1)]);
    await page();
    expect(judged).toEqual(['ended-02']);
  });
});
