import type { Caller } from '@platform/http-server';
import { accessBoundMs, type AccessDecision, type DatedDecision } from '@platform/workspace-platform/access';
import { accessBySupervisor, closedToCaller } from './workspace-access';

const open: AccessDecision = { state: 'open' };
const suspended: AccessDecision = { state: 'closed', reason: 'suspended' };

describe('the way to the supervising process', () => {
  const reading = (answer: DatedDecision | Error | null, takesMs = 0) => {
    let now = 0;
    return accessBySupervisor({
      now: () => now,
      call: async () => {
        if (answer === null) return new Promise(() => undefined);
        now += takesMs;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      wait: (milliseconds) => (answer === null ? Promise.resolve((now += milliseconds)) : new Promise(() => undefined)),
    })('acme');
  };

  it('adds its own time to the age of the answer', async () => {
    expect(await reading({ decision: open, ageMs: accessBoundMs - 10 }, 10)).toEqual(open);
    expect(await reading({ decision: open, ageMs: accessBoundMs - 10 }, 11)).toEqual({ state: 'unknown' });
    expect(await reading({ decision: suspended, ageMs: 0 })).toEqual(suspended);
  });

  it('knows nothing when that process fails to answer, or does not', async () => {
    expect(await reading(new Error('no such operation'))).toEqual({ state: 'unknown' });
    expect(await reading(null)).toEqual({ state: 'unknown' });
  });
});

describe('a caller', () => {
  const states: Readonly<Record<string, AccessDecision>> = { acme: open, globex: suspended };
  const read = async (tenantId: string): Promise<AccessDecision> => states[tenantId] ?? { state: 'unknown' };
  const closed = (workspaces: readonly string[], named?: string) =>
    closedToCaller(
      { workspaces: Object.fromEntries(workspaces.map((id) => [id, 'member'])) } as unknown as Caller,
      named,
      read,
    );

  it('of an open workspace reads, and so does one of none', async () => {
    expect(await closed(['acme'])).toBeUndefined();
    expect(await closed([])).toBeUndefined();
  });

  it('of a closed one is refused with the reason, and told when nobody can say', async () => {
    expect(await closed(['globex'])).toMatchObject({ code: 'workspace_closed', extras: { access: 'suspended' } });
    expect(await closed(['hooli'])).toMatchObject({ code: 'access_unknown', retryAfterSeconds: 1 });
  });

  it('of several is judged by the one that is named, and without a name needs one that is open', async () => {
    expect(await closed(['acme', 'globex'], 'globex')).toMatchObject({ code: 'workspace_closed' });
    expect(await closed(['acme', 'globex'], 'acme')).toBeUndefined();
    expect(await closed(['acme', 'globex'])).toBeUndefined();
    expect(await closed(['globex', 'hooli'])).toMatchObject({ code: 'workspace_closed' });
  });

  it('learns nothing of a workspace that is not his', async () => {
    expect(await closed(['acme'], 'globex')).toBeUndefined();
  });
});
