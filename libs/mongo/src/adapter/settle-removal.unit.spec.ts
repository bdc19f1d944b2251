import { silentLog } from '@platform/kernel';
import type { Doubt, ResolutionDependencies } from './resolve-write';
import { settleRemoval } from './settle-removal';

class Lost extends Error {
  constructor(readonly doubt: Doubt) {
    super(doubt);
  }
}

const dependencies: ResolutionDependencies = {
  doubtOf: (error) => (error as Lost).doubt,
  wait: async () => undefined,
  log: silentLog,
  readAttempts: 1,
};
type Sending = 'done' | 'no_match' | 'lost_before' | 'lost_after' | 'never_sent' | 'refused';

/** A record with revision `r`, on a server that answers each statement as scripted. */
async function outcomeOf(
  script: readonly Sending[],
  more: { readonly readable?: boolean; readonly rival?: boolean } = {},
) {
  let row: { revision: string } | null = { revision: 'r' };
  let effects = 0;
  const sendings = [...script];
  const settled = await settleRemoval(
    {
      subject: 'jobs r',
      revision: 'r',
      send: async () => {
        const sending = sendings.shift() ?? 'done';
        if (sending === 'never_sent' || sending === 'refused') throw new Lost(sending);
        const took = (sending === 'done' || sending === 'lost_after') && row?.revision === 'r';
        if (took) effects += 1;
        if (took) row = null;
        if (more.rival && row) row = { revision: 'other' };
        if (sending === 'lost_before' || sending === 'lost_after') throw new Lost('uncertain');
        return took;
      },
      read: async () => {
        if (more.readable === false) throw new Lost('uncertain');
        return row;
      },
    },
    dependencies,
  );
  return { ...settled, effects };
}

describe('a removal whose answer was lost', () => {
  it('is applied when the record is gone, and when asking again took it', async () => {
    expect(await outcomeOf(['lost_after'])).toEqual({ outcome: 'applied', effects: 1 });
    expect(await outcomeOf(['lost_before'])).toEqual({ outcome: 'applied', effects: 1 });
  });

  it.each<[string, readonly Sending[], { readonly readable?: boolean; readonly rival?: boolean }]>([
    ['the record cannot be read', ['lost_after'], { readable: false }],
    ['another process wrote it since', ['lost_before'], { rival: true }],
    ['the second answer is lost too', ['lost_before', 'lost_before'], {}],
    ['it was never sent', ['never_sent'], {}],
  ])('stays unknown when %s', async (_case, script, more) => {
    expect(await outcomeOf(script, more)).toMatchObject({ outcome: 'unknown' });
  });

  it('throws what was refused for good', async () => {
    await expect(outcomeOf(['refused'])).rejects.toThrow('refused');
  });
});
