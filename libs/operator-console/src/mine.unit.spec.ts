import { countOfList, countOfMine } from './mine';

describe('the number of a person’s cases', () => {
  it('is that of all of them', () => {
    expect([countOfMine(1), countOfMine(1_204)]).toEqual(['1 case is yours', '1,204 cases are yours']);
    expect([countOfList(1), countOfList(0), countOfList(1_204)]).toEqual(['1 case', '0 cases', '1,204 cases']);
  });

  it('says when not all were looked through, and nothing while it is not known', () => {
    expect(countOfMine(3, 10_000)).toBe('3 cases are yours, of the 10,000 that you worked on last');
    expect(countOfList(3, 10_000)).toBe('3 cases, of the 10,000 worked on last');
    expect(countOfList(undefined)).toBeUndefined();
  });
});
