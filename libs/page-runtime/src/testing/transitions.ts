/** Clock changes according to `Intl`, and the keys of an instant by the same source. For tests only. */

export interface Oracle {
  /** Minutes east of Greenwich; fractions are seconds. */
  offset(instant: number): number;
  keys(instant: number): {
    readonly day: number;
    readonly month: number;
    readonly quarter: number;
    readonly year: number;
  };
}

export function createOracle(zone: string): Oracle {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  // The parts of this format have a fixed order; reading them by position is ten times faster than by name.
  const read = (instant: number): number[] =>
    format
      .format(instant)
      .split(/[/, :]+/)
      .map(Number);
  return {
    offset(instant) {
      const [month, day, year, hour, minute, second] = read(instant) as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1_000) * 1_000;
    },
    keys(instant) {
      const [month, day, year] = read(instant) as [number, number, number];
      return {
        day: year * 10_000 + month * 100 + day,
        month: year * 100 + month,
        quarter: year * 10 + Math.ceil(month / 3),
        year,
      };
    },
  };
}

/** The first instants of each new offset of a zone, from `from` to `until`, searched in steps of `stepDays`. */
export function transitionsOf({ offset }: Oracle, from: number, until: number, stepDays: number): number[] {
  const step = stepDays * 86_400_000;
  const found: number[] = [];
  let known = offset(from);
  for (let at = from; at < until; at += step) {
    const next = offset(at + step);
    if (next === known) continue;
    let [low, high] = [at, at + step];
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000;
      if (offset(middle) === known) low = middle;
      else high = middle;
    }
    found.push(high);
    known = next;
  }
  return found;
}
