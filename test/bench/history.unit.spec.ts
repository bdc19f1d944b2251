import { figuresOf, mergedReport, readHistory, regressionsIn, type HistoryEntry } from './history';
import type { BenchReport } from './report';

const report = (rate: string, cpu: string): BenchReport => ({
  title: 'operations',
  head: ['in flight', 'gateway /s', 'p50 ms', 'service CPU ms'],
  rows: [
    ['1', rate, '13.0', cpu],
    ['32', '1,200', '20.5', '3.00 / 2.00'],
  ],
  notes: ['Rounds alternate.'],
});

const entry = (over: Partial<HistoryEntry>, ...runs: BenchReport[]): HistoryEntry => ({
  ...{ bench: 'operations', commit: '11111111', changed: false, at: '2026-11-27T00:00:00Z', machine: 'two cores' },
  ...{ load: 0.1, runs: runs.length, figures: figuresOf(runs), ...over },
});

describe('the history of the benches', () => {
  it('keeps of every figure the median and the bounds of its runs, by the labels of the row', () => {
    expect(figuresOf([report('60', '6.60 / 3.47'), report('50', '7.00 / 3.00'), report('58', '6.80 / 3.10')])).toEqual({
      1: {
        'gateway /s': { median: 58, least: 50, most: 60 },
        'p50 ms': { median: 13, least: 13, most: 13 },
        'service CPU ms': { median: 6.8, least: 6.6, most: 7 },
      },
      32: {
        'gateway /s': { median: 1200, least: 1200, most: 1200 },
        'p50 ms': { median: 20.5, least: 20.5, most: 20.5 },
        'service CPU ms': { median: 3, least: 3, most: 3 },
      },
    });
  });

  it('shows several runs as one table of medians in the form of its cells, and says how far they differ', () => {
    const merged = mergedReport([
      report('60', '6.60 / 3.47'),
      report('50', '7.00 / 3.00'),
      report('58', '6.80 / 3.10'),
    ]);
    expect(merged.rows).toEqual([
      ['1', '58', '13.0', '6.80 / 3.10'],
      ['32', '1,200', '20.5', '3.00 / 2.00'],
    ]);
    expect(merged.notes).toEqual([
      'Rounds alternate.',
      'Medians of 3 runs. Between the runs half of the figures differ by up to 0 %, and the least steady by 17 % (gateway /s, 1).',
    ]);
  });

  it('keeps a text that the runs do not share, and a single run as it is', () => {
    const found = (text: string): BenchReport => ({
      title: '',
      head: ['items', 'page'],
      rows: [['1', text]],
      notes: [],
    });
    expect(mergedReport([found('4 ms, index a'), found('8 ms, index b')]).rows).toEqual([['1', '4 ms, index a']]);
    expect(mergedReport([found('4 ms')])).toEqual(found('4 ms'));
  });

  it('names what is worse than before by more than the noise, in either direction of a column', () => {
    const before = entry({}, report('60', '6.6'), report('61', '6.6'));
    const now = entry({ commit: '22222222' }, report('50', '7.1'), report('51', '7.1'));
    expect(regressionsIn([before, now])).toMatchObject({
      compared: 6,
      worse: [{ bench: 'operations', row: '1', column: 'gateway /s', before: 60.5, now: 50.5, since: '11111111' }],
    });
    const slower = entry({ commit: '33333333' }, report('60', '9.0'), report('60', '9.1'));
    expect(regressionsIn([before, slower]).worse).toMatchObject([{ column: 'service CPU ms', row: '1' }]);
    expect(regressionsIn([slower, before]).worse).toEqual([]);
  });

  it('takes the spread of the runs for noise, and more for a single run', () => {
    const unsteady = entry({}, report('70', '6.6'), report('50', '6.6'));
    const now = entry({}, report('49', '6.6'), report('49', '6.6'));
    expect(regressionsIn([unsteady, now]).worse).toEqual([]);
    expect(regressionsIn([entry({}, report('60', '6.6')), entry({}, report('49', '6.6'))]).worse).toEqual([]);
    expect(regressionsIn([entry({}, report('60', '6.6')), entry({}, report('40', '6.6'))]).worse).toHaveLength(1);
  });

  it('compares with the last run on the same machine, and names a bench that has none', () => {
    const older = entry({ commit: '00000000' }, report('90', '6.6'));
    const elsewhere = entry({ machine: 'eight cores' }, report('400', '1.0'));
    const now = entry({}, report('60', '6.6'));
    expect(regressionsIn([older, elsewhere, now]).worse).toMatchObject([{ since: '00000000' }]);
    expect(regressionsIn([elsewhere, now])).toEqual({ compared: 0, worse: [], alone: ['operations'] });
  });

  it('reads back what was written', () => {
    const written = [entry({}, report('60', '6.6')), entry({ commit: '2' }, report('61', '6.5'))];
    expect(readHistory(written.map((each) => `${JSON.stringify(each)}\n`).join(''))).toEqual(written);
  });
});
