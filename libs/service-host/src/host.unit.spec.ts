import { writesPerTurn } from './host';

describe('the lines of a process', () => {
  function written() {
    const writes: string[] = [];
    let exit: () => void = () => undefined;
    const write = writesPerTurn(
      (text) => void writes.push(text),
      (flush) => void (exit = flush),
    );
    return { write, writes, exit: () => exit() };
  }
  const turn = () => new Promise((done) => setImmediate(done));

  it('of one turn leave together and in their order, those of the next one after them', async () => {
    const { write, writes } = written();
    write('one\n');
    await Promise.resolve();
    write('two\n');
    expect(writes).toEqual([]);
    await turn();
    write('three\n');
    await turn();
    expect(writes).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('leave before the process exits, once', async () => {
    const { write, writes, exit } = written();
    write('the last one\n');
    exit();
    await turn();
    expect(writes).toEqual(['the last one\n']);
  });
});
