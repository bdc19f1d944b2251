/** The middle part of the editor: all parts of a query, with each refusal at its field. */
import { Params } from './fields';
import { Labelled } from './labelled';
import { issuesAt, withTemplate, type Form, type Issue } from './form';
import type { Project } from './project';

interface QueryFormProps {
  readonly form: Form;
  readonly project: Project;
  readonly issues: readonly Issue[];
  /** True for a query that is already written, whose name cannot be changed. */
  readonly named: boolean;
  readonly onChange: (form: Form) => void;
}

const shapes = [
  ['', 'As it is computed'],
  ['card', 'Card: headline and points'],
  ['value', 'Value: one figure'],
  ['items', 'Items: a ranked list'],
  ['series', 'Series: points'],
] as const;

export function QueryForm({ form, project, issues, named, onChange }: QueryFormProps) {
  const template = project.templates.find(({ id }) => id === form.template);
  const resource = project.resources.find(({ name }) => name === form.resource);
  const set = (part: Partial<Form>) => onChange({ ...form, ...part });
  return (
    <div class="query-form">
      <Labelled id="name" label="Name" required issues={issuesAt(issues, '/name')}>
        {(about) => (
          <input
            {...about}
            value={form.name}
            disabled={named}
            spellcheck={false}
            autocomplete="off"
            placeholder="revenueByMonth"
            onInput={(event) => set({ name: event.currentTarget.value })}
          />
        )}
      </Labelled>
      <Sources form={form} project={project} issues={issues} onChange={onChange} />
      <div class="params">
        <Params
          form={form}
          template={template}
          fields={resource?.fields ?? []}
          issues={issues}
          onChange={(params) => set({ params })}
        />
      </div>
      <Answer form={form} issues={issues} onSet={set} />
    </div>
  );
}

/** The rows, and the calculation on them. */
function Sources({ form, project, issues, onChange }: Omit<QueryFormProps, 'named'>) {
  const template = project.templates.find(({ id }) => id === form.template);
  const resource = project.resources.find(({ name }) => name === form.resource);
  const set = (part: Partial<Form>) => onChange({ ...form, ...part });
  const choose = (id: string) => {
    const next = project.templates.find((each) => each.id === id);
    onChange(next ? withTemplate(form, next) : { ...form, template: id });
  };
  return (
    <div class="pair">
      <Labelled id="resource" label="Rows of" required issues={issuesAt(issues, '/resource')}>
        {(about) => (
          <select {...about} value={form.resource} onChange={(event) => set({ resource: event.currentTarget.value })}>
            <option value="">Choose a resource</option>
            {!resource && form.resource !== '' && <option value={form.resource}>{form.resource}</option>}
            {project.resources.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Labelled
        id="template"
        label="Template"
        required
        issues={issuesAt(issues, '/template')}
        {...(template && { hint: template.description })}
      >
        {(about) => (
          <select {...about} value={form.template} onChange={(event) => choose(event.currentTarget.value)}>
            {!template && <option value={form.template}>{form.template}</option>}
            {project.templates.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}

interface AnswerProps {
  readonly form: Form;
  readonly issues: readonly Issue[];
  readonly onSet: (part: Partial<Form>) => void;
}

function Answer({ form, issues, onSet }: AnswerProps) {
  return (
    <fieldset>
      <legend>Answer</legend>
      <div class="pair">
        <Labelled
          id="endpoint"
          label="Endpoint"
          hint="Below the page's address. A part like /:status is a value of the path."
          issues={issuesAt(issues, '/endpoint')}
        >
          {(about) => (
            <input
              {...about}
              value={form.endpoint}
              spellcheck={false}
              placeholder="/stats/<name>"
              onInput={(event) => onSet({ endpoint: event.currentTarget.value })}
            />
          )}
        </Labelled>
        <Labelled id="response" label="Shape" issues={issuesAt(issues, '/response')}>
          {(about) => (
            <select
              {...about}
              value={form.response}
              onChange={(event) => onSet({ response: event.currentTarget.value })}
            >
              {shapes.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      </div>
      <Compare form={form} issues={issues} onSet={onSet} />
    </fieldset>
  );
}

function Compare({ form, issues, onSet }: AnswerProps) {
  return (
    <>
      <label class="check" for="compare">
        <input
          id="compare"
          type="checkbox"
          checked={form.compare}
          onChange={(event) => onSet({ compare: event.currentTarget.checked })}
        />
        Compare with the period before
      </label>
      <ul class="issues">
        {issuesAt(issues, '/compare').map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </>
  );
}
