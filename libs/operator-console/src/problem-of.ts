import type { Answer, Problem } from '@platform/design-parts/requests';

/** Why a request was not answered with what it asked for; null when it was. */
export function problemOf(answer: Answer<unknown>): Problem | null {
  if (answer.kind === 'answered') return null;
  return answer.kind === 'refused'
    ? answer.problem
    : { code: 'no_answer', title: 'No answer', detail: `The gateway did not answer (${answer.reason}).` };
}
