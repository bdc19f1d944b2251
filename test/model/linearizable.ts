/**
 * Decides whether the answers about one operation id can be put in one order (after Wing, Gong and Lowe). Each request
 * takes effect at an instant between its call and its answer, and the answer describes the state at a later instant of
 * the same interval. Between requests the operation may run, end, stop or be ended by a person, but a success is never
 * undone.
 */

export type Answered =
  /**
   * The states that an answer reports: succeeded, in progress, outcome unknown, id used with other values, or refused.
   */
  | 'succeeded'
  | 'under_way'
  | 'unknown'
  | 'reused'
  | 'refused'
  /** No answer, or an answer without information: the request may have taken effect. */
  | 'nothing';

export interface Asked {
  readonly values: string;
  readonly from: number;
  /** Infinity: never answered. */
  readonly to: number;
  readonly answer: Answered;
}

type Phase = 'absent' | 'going' | 'succeeded' | 'failed' | 'unknown';

export interface State {
  readonly phase: Phase;
  readonly values: string | null;
}

/** The phases that an operation reaches without a request; each phase leads to itself as well. */
const later: Readonly<Record<Phase, readonly Phase[]>> = {
  absent: ['absent'],
  going: ['going', 'succeeded', 'failed', 'unknown'],
  unknown: ['unknown', 'succeeded', 'failed'],
  failed: ['failed'],
  succeeded: ['succeeded'],
};

/** The states that a request can bring the operation to when its turn comes. */
function taken({ phase, values }: State, asked: Asked): readonly State[] {
  const same = values === asked.values;
  if (phase === 'absent')
    return [
      { phase, values },
      { phase: 'going', values: asked.values },
    ];
  return phase === 'failed' && same
    ? [
        { phase, values },
        { phase: 'going', values },
      ]
    : [{ phase, values }];
}

function describes({ phase, values }: State, asked: Asked): boolean {
  const same = values === asked.values;
  switch (asked.answer) {
    case 'nothing':
      return true;
    case 'reused':
      return phase !== 'absent' && !same;
    case 'refused':
      return phase === 'absent' || !same || phase !== 'succeeded';
    case 'under_way':
      return phase !== 'absent' && same;
    default:
      return same && phase === asked.answer;
  }
}

/** True when some order explains every answer; `end` is the recorded state after all of them. */
export function isLinearizable(requests: readonly Asked[], end?: State): boolean {
  const points = requests.flatMap((asked) => [
    { asked, kind: 'take' as const },
    ...(asked.answer === 'nothing' ? [] : [{ asked, kind: 'tell' as const }]),
  ]);
  const seen = new Set<string>();
  const go = (done: ReadonlySet<number>, state: State): boolean => {
    const name = `${[...done].sort((a, b) => a - b).join()}|${state.phase}|${state.values}`;
    if (seen.has(name)) return false;
    seen.add(name);
    const left = points.flatMap((_, at) => (done.has(at) ? [] : [at]));
    if (left.length === 0)
      return (
        !end ||
        later[state.phase].some((phase) => phase === end.phase && (phase === 'absent' || state.values === end.values))
      );
    // A request that was sent after an answer cannot come before that answer in the order.
    const first = Math.min(...left.map((at) => points[at]!.asked.to));
    return left.some((at) => {
      const { asked, kind } = points[at]!;
      if (asked.from > first || (kind === 'tell' && !done.has(at - 1))) return false;
      const next = new Set([...done, at]);
      return later[state.phase].some((phase) => {
        const moved = { ...state, phase };
        if (kind === 'tell') return describes(moved, asked) && go(next, moved);
        return taken(moved, asked).some((after) => go(next, after));
      });
    });
  };
  return go(new Set(), { phase: 'absent', values: null });
}
