/** For suites that must detect a build that confuses one answer with another, or that waits before it continues. */
import type { EffectStep, ObjectOf } from '../effects';
import type { CallAnswer, PaymentProvider } from '../port';

type AnswerTo<Step extends EffectStep> = CallAnswer<ObjectOf<{ readonly step: Step }>>;

/** The provider's `prepare`; `misread` changes the answers to this step. */
export function misreadAnswers<Step extends EffectStep>(
  provider: Pick<PaymentProvider, 'prepare'>,
  step: Step,
  misread: (answer: AnswerTo<Step>) => AnswerTo<Step> | Promise<AnswerTo<Step>>,
): PaymentProvider['prepare'] {
  return (intent, effect) => {
    const call = provider.prepare(intent, effect);
    if (effect.step !== step) return call;
    const send = async () => misread((await call.send()) as AnswerTo<Step>);
    return { description: call.description, send } as typeof call;
  };
}
