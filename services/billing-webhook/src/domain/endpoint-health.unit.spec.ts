import { givenUpAt, judgeEndpoint, repeatedSince } from './endpoint-health';

const hourMs = 3_600_000;
const now = new Date('2026-03-04T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * hourMs);

describe('the health of an endpoint', () => {
  it('is good when no event is unresolved', () => {
    expect(judgeEndpoint(null, 12, now)).toEqual({ oldestUnresolvedHours: 0, hoursLeft: null, warningDay: 0 });
  });

  it.each([
    [0, 72, 0],
    [11.5, 60.5, 0],
    [12, 60, 1],
    [35.5, 36.5, 1],
    [36, 36, 2],
    [71, 1, 3],
  ])('after %d hours leaves %d, and warns at level %i', (age, hoursLeft, warningDay) => {
    expect(judgeEndpoint(hoursAgo(age), 12, now)).toEqual({ oldestUnresolvedHours: age, hoursLeft, warningDay });
  });

  it.each([72, 100])('warns of nothing after %d hours, when the provider repeats no more', (age) => {
    expect(judgeEndpoint(hoursAgo(age), 12, now)).toEqual({
      oldestUnresolvedHours: age,
      hoursLeft: null,
      warningDay: 0,
    });
  });

  it('warns of nothing long before the age at which people are warned', () => {
    expect(judgeEndpoint(hoursAgo(1), 48, now)).toMatchObject({ warningDay: 0 });
  });

  it('does not become younger than nothing by a clock that is behind', () => {
    expect(judgeEndpoint(hoursAgo(-1), 12, now)).toMatchObject({ oldestUnresolvedHours: 0, hoursLeft: 72 });
  });

  it('ends three days after the receipt', () => {
    expect(givenUpAt(now)).toEqual(hoursAgo(-72));
    expect(repeatedSince(now)).toEqual(hoursAgo(72));
  });
});
