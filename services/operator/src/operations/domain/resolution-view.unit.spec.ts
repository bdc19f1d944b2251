import { at, now } from '../testing/action-fixtures';
import type { Resolution } from './operation';
import { resolutionView } from './resolution-view';

const resolution: Resolution = {
  outcome: 'applied',
  executorStopped: 'its host was shut down',
  providerObject: 'sub_1',
  by: 'eve@example.com',
  at,
};
const said = { ...resolution, at: at.toISOString() };
const evidence = { readAt: now, digest: 'd'.repeat(64), objects: ['sub_1'] };
const override = {
  reason: 'agreed by telephone',
  approvedBy: 'tom@example.com',
  proposedBy: 'eve@example.com',
  contradiction: 'resolution_contradicted: nothing was found',
};
const proposal = { id: 'p-1', digest: 'e'.repeat(64), approvedBy: 'tom@example.com', appliedBy: 'eve@example.com' };

describe('a resolution in the words of the contract', () => {
  it.each<[string, Partial<Resolution>, object]>([
    ['what was said', {}, {}],
    ['the evidence', { evidence }, { evidence: { ...evidence, readAt: now.toISOString() } }],
    ['what two people put above the evidence', { override }, { override }],
    ['the proposal that was applied', { proposal }, { proposal }],
  ])('has %s', (_what, more, seen) => {
    expect(resolutionView({ ...resolution, ...more })).toStrictEqual({ ...said, ...seen });
  });
});
