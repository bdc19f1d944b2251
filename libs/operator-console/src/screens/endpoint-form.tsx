/**
 * Registers the endpoint of a consumer team that is served over HTTP, or moves it. The secret itself is a file of
 * lifecycle-delivery and is never entered here.
 */
import type { ConsumerView, EndpointRegistration } from '@platform/contracts-lifecycle-delivery';
import { title } from '@platform/design-parts';
import { linkTo } from '../address';
import { Field } from './action-fields';
import { Reason, useConsumerAction } from './consumer-action-form';

type Transition = EndpointRegistration['transitions'][number];

/** By transition; one without a sentence does not compile. */
const effects: Readonly<Record<Transition, string>> = {
  created: 'a creation waits for no receipt',
  suspended: 'every suspension waits for its receipt',
  reactivation_requested: 'every reactivation waits for its receipt',
};
const transitions = Object.keys(effects) as Transition[];

/** The registration as it was entered; an empty contact is none. */
function registrationOf(form: FormData): EndpointRegistration {
  const of = (name: string) => String(form.get(name) ?? '').trim();
  return {
    url: of('url'),
    secretRef: of('secretRef'),
    transitions: transitions.filter((transition) => form.getAll('transitions').includes(transition)),
    ...(of('contact') !== '' && { contact: of('contact') }),
    answersTests: form.get('answersTests') !== null,
  };
}

interface EndpointFormProps {
  /** The consumer whose endpoint moves; absent for a team that is not served yet. */
  readonly consumer?: ConsumerView;
  /** Called with the consumer's name when the registration is recorded. */
  readonly done: (name: string) => void;
}

export function EndpointForm({ consumer, done }: EndpointFormProps) {
  const { ask, sending, said } = useConsumerAction('register_endpoint');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const name = consumer?.name ?? String(form.get('name')).trim();
    const values = { reason: String(form.get('reason')), endpoint: registrationOf(form) };
    if (await ask(name, values)) done(name);
  };
  const text = (name: string, label: string, value: string | undefined, note?: string, more: object = {}) => (
    <Field label={label} name={`endpoint-${name}`} {...(note !== undefined && { note })}>
      <input
        id={`field-endpoint-${name}`}
        name={name}
        required
        autocomplete="off"
        spellcheck={false}
        defaultValue={value ?? ''}
        {...more}
      />
    </Field>
  );
  const { endpoint, contact } = consumer ?? {};
  return (
    <form class="action" onSubmit={(event) => void submit(event)} aria-label="Register an endpoint">
      {!consumer && text('name', 'Consumer', undefined, 'The name of the team’s service, for example billing.')}
      {text('url', 'Address', endpoint?.url, 'https, public, and without credentials: people see it.', { type: 'url' })}
      {text('secretRef', 'Name of the secret', endpoint?.secretRef, 'A file of lifecycle-delivery of this name signs.')}
      <Transitions chosen={consumer?.transitions ?? []} />
      {text('contact', 'Contact (optional)', contact, 'Whom to reach when deliveries wait.', { required: false })}
      <p>
        <label>
          <input type="checkbox" name="answersTests" defaultChecked={!consumer || consumer.answersTests === true} /> It
          answers tests
        </label>
      </p>
      <Reason action="register_endpoint" name="endpoint-register" />
      <div class="buttons">
        <button type="submit" class="primary" disabled={sending}>
          {consumer ? `Move the endpoint of ${consumer.name}` : 'Register the endpoint'}
        </button>
        {said}
      </div>
    </form>
  );
}

function Transitions({ chosen }: { readonly chosen: readonly string[] }) {
  return (
    <fieldset>
      <legend>It receives</legend>
      {transitions.map((transition) => (
        <p key={transition}>
          <label>
            <input
              type="checkbox"
              name="transitions"
              value={transition}
              defaultChecked={chosen.length === 0 || chosen.includes(transition)}
            />{' '}
            {title(transition)}: {effects[transition]}
          </label>
        </p>
      ))}
    </fieldset>
  );
}

/** Under the list of consumers, for a team that is not served yet. */
export function RegisterEndpoint() {
  return (
    <details>
      <summary>Serve a team over HTTP</summary>
      <p class="note">
        For a team without the broker: each message is a signed POST to its address, and its answer is the receipt. From
        then on every such operation waits for it.
      </p>
      <EndpointForm done={(name) => (location.hash = linkTo(['consumers', name]))} />
    </details>
  );
}
