import { createTurns } from './turns';

/** Numbers the rounds of the event loop until `work` has ended. */
async function inRounds(work: (round: () => number) => Promise<void>): Promise<void> {
  let [round, ended] = [0, false];
  const count = (): void => {
    round += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await work(() => round);
  ended = true;
}

describe('turns', () => {
  it('come in the order of asking, one in a round of the event loop', async () => {
    const turn = createTurns();
    const granted: { readonly asked: number; readonly round: number }[] = [];
    await inRounds(async (round) => {
      const ask = async (asked: number): Promise<void> => {
        await turn();
        granted.push({ asked, round: round() });
      };
      await Promise.all([0, 1, 2, 3].map(ask));
      await ask(4);
    });
    expect(granted.map(({ asked }) => asked)).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(granted.map(({ round }) => round)).size).toBe(5);
  });
});
