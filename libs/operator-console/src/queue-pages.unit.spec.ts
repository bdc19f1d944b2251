import type { WorkCounters, WorkItemView } from '@platform/contracts-operator';
import { emptyWords, joinPages } from './queue-pages';

const row = (id: string, status = 'first'): Pick<WorkItemView, 'kind' | 'id' | 'status'> => ({
  kind: 'operation',
  id,
  status,
});

describe('the pages of the work queue', () => {
  it('have each record once, in its first place and as it was read last', () => {
    const joined = joinPages([row('a'), row('b'), row('c')], [row('d'), row('b', 'later'), row('e')]);
    expect(joined).toEqual([row('a'), row('b', 'later'), row('c'), row('d'), row('e')]);
  });

  it('tell records of different kinds with the same id apart', () => {
    const event = { ...row('a'), kind: 'webhook_event' as const };
    expect(joinPages([row('a')], [event])).toEqual([row('a'), event]);
  });
});

describe('an empty work queue', () => {
  const counters = (...states: WorkCounters['sources'][number]['state'][]): WorkCounters => ({
    total: 0,
    counts: [],
    sources: states.map((state) => ({ source: 'operation', state })),
    countedAt: '2026-01-01T00:00:00.000Z',
  });

  it('means that everything has ended when every owner was read', () => {
    expect(emptyWords(counters('current', 'current')).text).toContain('has ended');
  });

  it.each([
    ['an owner does not answer', counters('current', 'unavailable')],
    ['an owner is being read for the first time', counters('reading')],
    ['the state of the owners is not known', null],
  ])('does not mean that while %s', (_when, known) => {
    expect(emptyWords(known)).toEqual({
      title: 'Nothing unresolved is known here.',
      text: 'Not every owner of records has been read.',
    });
  });
});
