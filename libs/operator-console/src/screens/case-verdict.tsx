/** The answers of a case to its two questions, the next step, and what is not proven. */
import type { CaseView } from '@platform/contracts-operator';
import { Sentence } from '@platform/design-parts';

export const moneyWords = {
  moved: 'Money moved',
  did_not_move: 'Money did not move',
  not_known: 'Not known whether it took effect',
  no_money: 'No money is moved by this',
  contradicted: 'Recorded and shown differ',
} as const;
export const runningWords = {
  yes: 'It may still run',
  no: 'Nothing runs',
  not_proven: 'Not proven that nothing runs',
} as const;
const tones = {
  moved: 'known',
  did_not_move: 'known',
  no_money: 'known',
  not_known: 'open',
  contradicted: 'open',
  yes: 'open',
  no: 'known',
  not_proven: 'open',
} as const;
const adviceWords = {
  nothing: 'Nothing to do',
  repeat: 'May be repeated',
  wait: 'Wait',
  investigate: 'Investigate',
} as const;

/** A heading, so that a reader who jumps from heading to heading comes to it. */
function Answer({ question, answer }: { question: string; answer: string }) {
  return (
    <h2>
      <span class="question">{question}</span> <strong>{answer}</strong>
    </h2>
  );
}

function Verdict({
  question,
  answer,
  because,
  tone,
}: {
  question: string;
  answer: string;
  because: string;
  tone: 'known' | 'open';
}) {
  return (
    <div class={`verdict verdict-${tone}`}>
      <Answer question={question} answer={answer} />
      <p>
        <Sentence>{because}</Sentence>
      </p>
    </div>
  );
}

export function Verdicts({ verdict, next }: Pick<CaseView, 'verdict' | 'next'>) {
  return (
    <div class="verdicts">
      <Verdict
        question="Did money move?"
        answer={moneyWords[verdict.money.answer]}
        because={verdict.money.because}
        tone={tones[verdict.money.answer]}
      />
      <Verdict
        question="May anything still run?"
        answer={runningWords[verdict.running.answer]}
        because={verdict.running.because}
        tone={tones[verdict.running.answer]}
      />
      <div class={`verdict next advice-${next.advice}`}>
        <Answer question="Next step" answer={adviceWords[next.advice]} />
        <p>{next.text}</p>
      </div>
    </div>
  );
}

export function NotProven({ notProven }: Pick<CaseView, 'notProven'>) {
  return (
    <section class="not-proven" aria-labelledby="not-proven">
      <h2 id="not-proven">What is not proven</h2>
      <ul>
        {notProven.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </section>
  );
}
