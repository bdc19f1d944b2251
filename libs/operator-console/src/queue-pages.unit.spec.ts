import type { WorkItemView } from '@platform/contracts-operator';
import { joinPages } from './queue-pages';

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
