/** How many histories a build needs is counted from each catch to the next, whatever order workers end in. */
import { detectionOf, medianOf } from './measure-detection';

const failing = (...seeds: number[]) => ({
  histories: 40,
  failures: seeds.map((seed) => ({ plan: { seed }, violations: ['I1 x: y'] })),
});

describe('the power of detection', () => {
  it('counts from each start to its catch, that one included', () => {
    expect(detectionOf('a', 101, 3, failing(110, 103, 104))).toMatchObject({
      needed: [3, 1, 6],
      seeds: [103, 104, 110],
    });
  });

  it('leaves out what was caught after the last start', () => {
    expect(detectionOf('a', 1, 2, failing(9, 2, 1)).needed).toEqual([1, 1]);
  });

  it('says that nothing was caught', () => {
    expect(detectionOf('a', 1, 10, failing())).toEqual({ id: 'a', needed: [], seeds: [], histories: 40 });
  });

  it.each([
    [[4], 4],
    [[9, 1, 2], 2],
    [[10, 1, 4, 2], 3],
  ])('has the middle of %j as its median', (values, middle) => {
    expect(medianOf(values)).toBe(middle);
  });
});
