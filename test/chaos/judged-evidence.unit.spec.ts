import { checkHistory, emptyEvidence, formatViolations, type Evidence } from '@platform/testing';
import type { Operation } from '../../services/operator/src/operations/domain/operation';
import type { Subscription } from '../../services/operator/src/mirror/domain/subscription';
import type { TrialReservation } from '../../services/provisioning/src/domain/reservation';
import { statusLogOf } from './judged-evidence';
import { createReservationLog, createTransitionLog } from './observe';
import { writesOf } from './zombie';

const at = (seconds: number): Date => new Date(seconds * 1_000);
const judge = (evidence: Partial<Evidence>): string[] =>
  formatViolations(checkHistory({ ...emptyEvidence, ...evidence }));

describe('the order of journal and transition in a chaos run', () => {
  const subscription = (revision: string, seconds: number, operationId?: string) =>
    ({
      _id: 'acme',
      revision,
      updatedAt: at(seconds),
      ...(operationId && { transition: { operationId } }),
    }) as Subscription;
  const operation = (status: string, seconds: number, attempt: object = {}) =>
    ({
      _id: 'op-1',
      status,
      updatedAt: at(seconds),
      attempts: [{ number: 1, providerCalls: [], ...attempt }],
    }) as unknown as Operation;
  const cleared = (seconds: number) => {
    const log = createTransitionLog();
    for (const version of [
      subscription('r1', 1),
      subscription('r2', 2, 'op-1'),
      subscription('r2', 2, 'op-1'),
      subscription('r3', seconds),
    ])
      log.note(version);
    expect(log.versions()).toBe(3);
    return log.transitions;
  };

  it('holds when the attempt ended first, and when the record was settled first', () => {
    expect(
      judge({
        transitionLog: cleared(5),
        statusLog: statusLogOf(operation('succeeded', 9, { outcome: 'succeeded', finishedAt: at(4) })),
      }),
    ).toEqual([]);
    expect(
      judge({
        transitionLog: cleared(5),
        statusLog: statusLogOf(operation('succeeded', 4, { outcome: 'awaiting_receipts', finishedAt: at(3) })),
      }),
    ).toEqual([]);
  });

  it.each([
    ['an outcome that came later', operation('failed', 6, { outcome: 'failed', finishedAt: at(6) })],
    ['no outcome at all', operation('running', 4)],
  ])('is broken by %s', (_case, record) => {
    expect(judge({ transitionLog: cleared(5), statusLog: statusLogOf(record) })).toEqual([
      expect.stringMatching(/^I6 op-1/),
    ]);
  });
});

describe('the writes of a frozen executor', () => {
  const before = new Map([
    ['plan_migrations/m-1', 'r1'],
    ['plan_migration_items/m-1:acme', 'r2'],
  ]);

  it('are harmless when nothing changed after it woke', () => {
    expect(judge({ writes: writesOf(before, before) })).toEqual([]);
  });

  it('are told when one of them was applied', () => {
    expect(judge({ writes: writesOf(before, new Map([...before, ['plan_migration_items/m-1:acme', 'r3']])) })).toEqual([
      expect.stringMatching(/^I7 plan_migration_items\/m-1:acme/),
    ]);
  });
});

describe('reservations in a chaos run', () => {
  const trial = (tenantId: string | null, timeline: TrialReservation['timeline']) => ({
    _id: 'card',
    revision: 'r',
    createdAt: at(0),
    updatedAt: at(0),
    tenantId,
    operationId: tenantId,
    timeline,
  });
  const reserved = { at: at(1), tenantId: 't-1', what: 'reserved' } as const;
  const creations = (status: string): Evidence['creations'] => [{ tenantId: 't-1', status, charges: 0 }];
  const seen = (...looks: readonly TrialReservation[][]) => {
    const log = createReservationLog();
    looks.forEach((records) => log.note(records));
    return log.evidence();
  };

  it('stand, or were released with a record by a cancelled creation', () => {
    expect(judge({ reservations: seen([trial('t-1', [reserved])]), creations: creations('committed') })).toEqual([]);
    expect(
      judge({
        reservations: seen(
          [trial('t-1', [reserved])],
          [trial(null, [reserved, { at: at(2), tenantId: 't-1', what: 'released_cancelled' }])],
        ),
        creations: creations('cancelled'),
      }),
    ).toEqual([]);
  });

  it.each([
    ['the holder has gone without a record', [trial(null, [reserved])], 'cancelled'],
    ['the record has gone', [], 'cancelled'],
    [
      'its release names a cancellation that is not recorded',
      [trial(null, [reserved, { at: at(2), tenantId: 't-1', what: 'released_cancelled' as const }])],
      'committed',
    ],
  ])('are missed when %s', (_case, last, status) => {
    expect(judge({ reservations: seen([trial('t-1', [reserved])], last), creations: creations(status) })).toEqual([
      expect.stringMatching(/^I11 t-1\/card/),
    ]);
  });
});
