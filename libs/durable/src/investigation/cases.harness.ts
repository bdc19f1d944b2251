/** A kind of record for the suites of investigations: stopped cases with calls, an executor and a related record. */
import { createSequentialIds, ok, refused, type Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, Draft, RevisionedCollection } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import type { PossiblySent } from '@platform/payment-provider';
import { createTickingClock } from '@platform/testing';

import { defineInvestigation, type InvestigationPorts, type ResolutionOf } from './investigate';
import type { OutcomeProofs } from './proofs';

export interface Case extends Revisioned {
  readonly status: 'stopped' | 'done' | 'undone';
  readonly calls: readonly PossiblySent[];
  readonly resolution?: ResolutionOf<OutcomeProofs>;
}
export type OpenCase = Case & { readonly status: 'stopped' };

export interface CasePorts extends InvestigationPorts {
  readonly cases: RevisionedCollection<Case>;
  /** What happened, in order. */
  readonly log: string[];
  readonly neighbour: () => string | null;
}

const declaration: CollectionDeclaration<Case> = { name: 'cases', indexes: [] };
const sent: PossiblySent = {
  sentAt: new Date('2026-01-01T00:00:00.000Z'),
  phase: 'bytes_written',
  outcome: 'unknown',
};

export const investigation = defineInvestigation({
  noun: 'case',
  missing: 'There is no such case.',
  records: ({ cases }: CasePorts) => cases,
  isOpen: (record): record is OpenCase => record.status === 'stopped',
  known: ({ status }) => `The case is ${status}.`,
  beside: async ({ neighbour }) => {
    const name = neighbour();
    return name === null ? refused('Its neighbour is gone.') : ok(name);
  },
  refusal: (_record, { outcome }: OutcomeProofs, neighbour) =>
    outcome === 'applied' && neighbour === 'forbids it' ? 'The neighbour forbids it.' : null,
  executors: ({ _id }) => [
    { key: _id, executor: { service: 'operator', instance: 'operator-1', incarnation: 'boot-1' } },
  ],
  calls: ({ calls }) => calls,
  warnings: (_record, _request, neighbour) => [`Mind ${neighbour}.`],
  prepare: async ({ log }, { record, beside }) => {
    log.push(`prepared beside ${beside}`);
    return beside === 'changes' ? refused('The neighbour has changed.') : ok(record);
  },
  resolve: (_ports, { _id, calls }, resolution): Draft<Case> => ({
    _id,
    calls,
    resolution,
    status: resolution.outcome === 'applied' ? 'done' : 'undone',
  }),
  follow: async ({ log }, { status }) => void log.push(`followed ${status}`),
});

export const proofs: OutcomeProofs = {
  id: 'case-1',
  outcome: 'applied',
  executorStopped: '  its host was reinstalled  ',
  providerObject: 'obj_1',
  by: 'ann@example.com',
};

export async function open({ calls = [sent], neighbour = 'nothing' as string | null } = {}) {
  const clock = createTickingClock();
  const store = createFakeStore({ clock, ids: createSequentialIds(1) });
  const cases = store.collection(declaration);
  await cases.insert({ _id: 'case-1', status: 'stopped', calls });
  await cases.insert({ _id: 'case-2', status: 'done', calls });
  const ports: CasePorts = { cases, clock, log: [], neighbour: () => neighbour };
  return { store, cases, ports, standing: () => cases.all()[0]! };
}
