/** The finance report as a command: the secret that signs it, and the file that it is written to. */
import { Misuse } from '@platform/command-line';
import { verifyingKey } from '@platform/durable/investigation';
import { createOperatorWorld } from '../testing/operator-world';
import { runFinanceReport } from './finance-commands';

const { env } = process;
afterEach(() => void (process.env = env));

async function report(secret: string, out: string) {
  process.env = { ...env, CASE_SIGNING_KEY: secret };
  const said: string[] = [];
  const { store, clock, provider } = await createOperatorWorld();
  const terminal = { print: (text: string) => void said.push(text), complain: (text: string) => (said.push(text), 1) };
  const work = { store, clock, provider, terminal } as unknown as Parameters<typeof runFinanceReport>[1];
  const code = await runFinanceReport({ kind: 'report', from: new Date(0), to: new Date(), out }, work);
  return { code, said };
}

describe('a finance report that is asked for off-line', () => {
  it('says in one line why its file cannot be written, and ends with 1', async () => {
    expect(await report('a secret of at least thirty-two bytes', '/proc/none/report.csv')).toEqual({
      code: 1,
      said: [expect.stringMatching(/^The report cannot be written: ENOENT.*\/proc\/none\/report\.csv'$/)],
    });
  });

  it('is signed with no secret that the gateway refuses', async () => {
    await expect(report('a'.repeat(31), '/dev/null')).rejects.toThrow(Misuse);
    await expect(report('a'.repeat(31), '/dev/null')).rejects.toThrow('CASE_SIGNING_KEY has less than 32 characters');
    expect((await report('a'.repeat(32), '/dev/null')).code).toBe(0);
    expect(() => verifyingKey({ CASE_SIGNING_KEY: 'a'.repeat(31) })).toThrow(Misuse);
  });
});
