/** The off-line command that resolves: what it shows, asks and prints, and its exit codes. */
import { refused } from '@platform/kernel';

import { resolveOffline, runOffline, type Terminal } from './off-line';
import type { Unsigned } from './proof-options';
import type { OutcomeProofs } from './proofs';

import { investigation, open, proofs } from './cases.harness';

describe('the off-line resolution', () => {
  const unsigned = ({ by: email, override, ...said }: OutcomeProofs): Unsigned<OutcomeProofs> => ({
    ...said,
    claims: {
      by: { email, tokenFile: undefined },
      ...(override && {
        override: { reason: override.reason, approvedBy: { email: override.approvedBy, tokenFile: undefined } },
      }),
    },
  });

  async function run(yes: boolean, answer: string, change: Partial<OutcomeProofs> = {}) {
    const world = await open();
    const printed: string[] = [];
    const asked: string[] = [];
    const terminal: Terminal = {
      print: (text) => void printed.push(text),
      draw: () => undefined,
      complain: (text) => (printed.push(text), 1),
      confirmed: async (id, what) => (asked.push(`${what}`), id === answer),
    };
    const code = await resolveOffline(
      investigation,
      world.ports,
      {
        request: unsigned({ ...proofs, ...change }),
        yes,
        idName: 'case id',
        describe: ({ record }) => `case ${record._id}`,
        becomes: ({ resolution }) => `It becomes ${resolution.outcome}.`,
        statusOf: ({ status }) => status,
      },
      {
        terminal,
        people: { personOf: async ({ email = '' }) => ({ id: email, email }) },
        askExecutors: async (questions) => questions.map(() => ({ state: 'stopped' })),
      },
    );
    return { code, asked, text: printed.join('\n'), status: world.standing().status };
  }

  it('shows the record, its warnings and what would be written, and writes when the id is repeated', async () => {
    const { code, asked, text, status } = await run(false, 'case-1');
    expect([code, status, asked]).toEqual([0, 'done', ['case id']]);
    expect(text).toMatch(
      /^case case-1\n\nAsked: operator-1 \(boot-1\) has ended in order\..*\n\nNote: Mind nothing\.\n\nWill be written, once and for good:\n\{[\s\S]*"by": "ann@example.com"[\s\S]*\}\nIt becomes applied\.\nRecorded\. Case case-1 is done\.$/,
    );
  });

  it('writes nothing for another word, and asks nothing with --yes', async () => {
    expect(await run(false, 'yes')).toMatchObject({
      code: 1,
      status: 'stopped',
      text: expect.stringContaining('Nothing was written.'),
    });
    expect(await run(true, '')).toMatchObject({ code: 0, asked: [], status: 'done' });
  });

  it('prints the code of a refusal for evidence, and ends with 3', async () => {
    const seen = { ...investigation, plan: async () => refused('resolution_contradicted: the provider shows obj_1.') };
    const printed: string[] = [];
    const code = await resolveOffline(
      seen,
      (await open()).ports,
      {
        request: unsigned(proofs),
        yes: true,
        describe: () => '',
        becomes: () => '',
        statusOf: ({ status }) => status,
      },
      {
        terminal: {
          print: () => undefined,
          draw: () => undefined,
          complain: (text) => (printed.push(text), 1),
          confirmed: async () => false,
        },
        people: { personOf: async ({ email = '' }) => ({ id: email, email }) },
        askExecutors: async (questions) => questions.map(() => ({ state: 'stopped' })),
      },
    );
    expect([code, printed]).toEqual([3, ['resolution_contradicted: the provider shows obj_1.']]);
  });

  it('says why it refuses and ends with 1', async () => {
    expect(await run(true, '', { by: 'ann' })).toMatchObject({
      code: 1,
      text: 'Say who resolves it, by e-mail address (--by).',
      status: 'stopped',
    });
  });
});

/** Runs `ops close --reason <reason>`, a command that needs a database unless `alone` is given. */
async function runClose(reason: string, alone?: () => number): Promise<string> {
  const said: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => (said.push(String(text)), true));
  process.argv = ['node', 'ops', 'close', '--reason', reason];
  const options = { reason: { type: 'string', text: 'why' }, apply: { type: 'boolean', text: 'write' } } as const;
  const command = { ...{ name: 'ops', usage: 'ops', summary: 's', options }, commands: { close: { text: 'end' } } };
  runOffline({ command, database: 'none', schemaSteps: [], ask: () => 'close', ...(alone && { alone }) });
  await new Promise(setImmediate);
  return said.join('');
}

describe('an off-line command line', () => {
  const { argv, exitCode, env } = process;
  afterEach(() => {
    Object.assign(process, { argv, exitCode, env });
    jest.restoreAllMocks();
  });

  it.each(['\u202enod', 'red \u001b[31m', 'half \ud83d'])(
    'refuses words that read otherwise than they are written: %j',
    async (reason) => {
      const done = jest.fn(() => 0);
      expect(await runClose(reason, done)).toContain('--reason must hold no control characters');
      expect([process.exitCode, done.mock.calls.length]).toEqual([2, 0]);
    },
  );

  it('takes words of several lines', async () => {
    const done = jest.fn(() => 0);
    expect(await runClose('bucket handed over,\nticket 4711', done)).toBe('');
    expect(done).toHaveBeenCalledTimes(1);
  });

  it.each(['production', 'http://db.example', 'mongodb://'])(
    'refuses %j as the address of a database, before it opens one',
    async (MONGODB_URL) => {
      process.env = { ...env, MONGODB_URL };
      expect(await runClose('done')).toMatch(/^ops: MONGODB_URL is no address of a database[^\n]*\n$/);
      expect(process.exitCode).toBe(2);
    },
  );
});
