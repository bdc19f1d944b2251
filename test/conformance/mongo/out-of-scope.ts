/**
 * The golden cases that this store does not answer like the recorded server, each with its reason. Every other case
 * must give the recorded answer; a case named here must be refused, or give the stated other answer.
 */
export interface Exception {
  /** Matches the ids of the cases. */
  cases: RegExp;
  outcome: { refusedWith: number } | 'calendar';
  reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    cases: /^sessions\//,
    outcome: { refusedWith: 20 },
    reason: 'recorded on a replica set; a standalone server refuses transaction numbers and so does this store',
  },
  {
    cases: /^dates-quirks\//,
    outcome: 'calendar',
    reason:
      'the server deviates from calendar arithmetic (its own README lists how); this store follows the calendar where the two differ',
  },
  {
    cases: /^dates\/far-years\/add$/,
    outcome: 'calendar',
    reason:
      'the server loses one second when it adds to a date before 1970 with a fraction of a second; this store does not',
  },
];

export const exceptionFor = (id: string): Exception | undefined =>
  exceptions.find((exception) => exception.cases.test(id));
