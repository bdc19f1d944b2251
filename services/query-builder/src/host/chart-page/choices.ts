/**
 * The choices of a chart page's visitor, decoded from the address; an invalid choice falls back to the page's default.
 */
import { isZone } from '../../domain/zones';
import { dayCount, defaultPeriod, isDay, type Period } from '@platform/page-runtime/chart';

export interface Choices {
  readonly period: Period;
  /** The present day in the chosen zone: the last one of the ready-made periods. */
  readonly today: string;
  /** Absent: each query in its own zone. */
  readonly zone?: string;
  readonly workspace?: string;
  /** Values of the queries' further parameters, by name. */
  readonly values: ReadonlyMap<string, string>;
  /** The fields by which queries are broken down, by the names of the queries. */
  readonly breakdowns: ReadonlyMap<string, string>;
  /** The message for people about the parts of the address that were not used. */
  readonly notice?: string;
}

export const valuePrefix = 'value-';
export const breakdownPrefix = 'by-';
const maxDays = 366 * 100;

/** The choices as parts of an address, so that the links and forms of a page keep them. */
function chosenIn(
  { period, zone, values, breakdowns }: Choices,
  workspace: string | undefined,
): Readonly<Record<string, string>> {
  const prefixed = (prefix: string, chosen: ReadonlyMap<string, string>) =>
    Object.fromEntries([...chosen].map(([name, value]) => [`${prefix}${name}`, value]));
  return {
    ...period,
    ...(zone !== undefined && { zone }),
    ...(workspace !== undefined && { workspace }),
    ...prefixed(valuePrefix, values),
    ...prefixed(breakdownPrefix, breakdowns),
  };
}

/** The address with these choices and the changes in `more`; undefined removes a choice. */
export function searchOf(
  choices: Choices,
  workspace: string | undefined,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const all = Object.entries({ ...chosenIn(choices, workspace), ...more });
  return `?${new URLSearchParams(all.filter((each): each is [string, string] => each[1] !== undefined)).toString()}`;
}

export function readChoices(query: Readonly<Record<string, unknown>>, now: Date): Choices {
  const text = (name: string): string | undefined => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [from, to, zone, workspace] = ['from', 'to', 'zone', 'workspace'].map(text);
  const initial = defaultPeriod(now, zone !== undefined && isZone(zone) ? zone : undefined);
  const chosen = { from: isDay(from) ? from : initial.from, to: isDay(to) ? to : initial.to };
  const length = dayCount(chosen);
  const usable = length >= 1 && length <= maxDays;
  const complaints = [
    ...((from !== undefined && !isDay(from)) || (to !== undefined && !isDay(to))
      ? ['a date of the address does not exist']
      : []),
    ...(usable ? [] : ['the first day is after the last one, or the period is longer than a century']),
    ...(zone !== undefined && !isZone(zone) ? ['the time zone of the address is not known'] : []),
  ];
  const named = (prefix: string) =>
    new Map(
      Object.keys(query).flatMap((name): [string, string][] => {
        const value = name.startsWith(prefix) ? text(name) : undefined;
        return value === undefined ? [] : [[name.slice(prefix.length), value]];
      }),
    );
  return {
    period: usable ? chosen : initial,
    today: initial.to,
    ...(zone !== undefined && isZone(zone) && { zone }),
    ...(workspace !== undefined && { workspace }),
    values: named(valuePrefix),
    breakdowns: named(breakdownPrefix),
    ...(complaints.length > 0 && {
      notice: `The page shows its default view, because ${complaints.join(' and ')}.`,
    }),
  };
}
