/** What is known of an executor: answers the second question of a case, whether anything may still run. */
import type { CaseView } from '@platform/contracts-operator';
import { describeExecutor, type Executor, type ExecutorKnowledge } from '@platform/kernel';

const answers: Readonly<Record<ExecutorKnowledge['state'], CaseView['verdict']['running']['answer']>> = {
  alive: 'yes',
  not_under_way: 'no',
  stopped: 'no',
  declared_gone: 'no',
  superseded: 'not_proven',
  not_proven: 'not_proven',
  unknown: 'not_proven',
};

export function runningBy(who: string, knowledge: ExecutorKnowledge): CaseView['verdict']['running'] {
  return { answer: answers[knowledge.state], because: describeExecutor(who, knowledge) };
}

/** What a person must still prove about the executor; empty when nothing is left to prove. */
export function quiescenceOf(executor: Executor, { state }: ExecutorKnowledge): string[] {
  return answers[state] === 'no'
    ? []
    : [
        `That the executor ${executor.instance} (incarnation ${executor.incarnation}, ${state.replaceAll('_', ' ')}) is quiescent.`,
      ];
}
