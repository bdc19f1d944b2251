import { createRequests, type Fetch } from '@platform/design-parts/requests';
import { createGateway } from './gateway';
import { amountNote, parseMoney } from './money';
import { createOneRead } from './one-read';

const never = (): void => undefined;

describe('a stream of changes', () => {
  it('has ended when no sign of life has come for longer than the service is silent', async () => {
    const heard: string[] = [];
    const opened = new TextEncoder().encode('event: open\ndata: {}\n\n');
    let given = 0;
    // The connection was lost on the way: nothing comes, and nothing ends it.
    const lost: Fetch = async () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            given += 1;
            if (given === 1) controller.enqueue(opened);
            return given === 1 ? undefined : new Promise(never);
          },
        }),
      );
    const { listen } = createRequests('t', lost, never, { silenceMs: 30 });
    expect(await listen('/live', ({ event }) => heard.push(event), new AbortController().signal)).toBe('ended');
    expect(heard).toEqual(['open']);
  });
});

describe('a list as comma-separated values', () => {
  const answering =
    (status: number, type: string, text: string): Fetch =>
    async () =>
      new Response(text, { status, headers: { 'content-type': type } });
  const read = (answer: Fetch) => createGateway('t', answer, never).readText('/x');

  it('is not the page of a proxy', async () => {
    expect(await read(answering(200, 'text/html', '<html>'))).toEqual({
      problem: 'The answer (HTTP 200) could not be read.',
    });
    expect(await read(answering(200, 'text/csv; charset=utf-8', 'a\r\n'))).toMatchObject({ text: 'a\r\n' });
  });

  it('says why it was refused, and what to do', async () => {
    const problem = { code: 'overloaded', title: 'Overloaded', nextStep: 'Try again in a second.' };
    expect(await read(answering(503, 'application/problem+json', JSON.stringify(problem)))).toEqual({
      problem: 'Overloaded Try again in a second.',
    });
  });
});

describe('a read that changes ask for faster than it is answered', () => {
  it('is done once more after its answer, and not in its place', () => {
    let now = 0;
    let reads = 0;
    const one = createOneRead(() => now);
    const read = () => {
      reads += 1;
      one.begin();
    };
    one.ask(read);
    for (let change = 0; change < 5; change += 1) one.ask(read);
    expect(reads).toBe(1);
    expect(one.end()).toBe(true);
    read();
    expect(one.end()).toBe(false);
    one.ask(read);
    expect(reads).toBe(3);
    // An answer that was lost holds up nothing for long.
    now = 11_000;
    one.ask(read);
    expect(reads).toBe(4);
  });
});

describe('an amount', () => {
  it.each(['', 'u', 'us', 'usdd', 'u5d'])('is none while the currency is only %j', (currency) => {
    expect([parseMoney('5', currency), amountNote('5', currency)]).toEqual([null, undefined]);
  });

  it.each([
    ['5,00', 'usd', 'This is no amount in USD. Write it like 1,234.56.'],
    ['$5', 'usd', 'This is no amount in USD. Write it like 1,234.56.'],
    ['5.00', 'jpy', 'This is no amount in JPY. Write it like 123,456.'],
    ['5.0000', 'kwd', 'This is no amount in KWD. Write it like 123.456.'],
    ['5.00', 'usd', undefined],
    [' ', 'usd', undefined],
  ])('that is typed as %j in %s says: %s', (text, currency, note) => {
    expect(amountNote(text, currency)).toBe(note);
  });
});
