/** The controls of a template's parameters, from its schema alone. */
import { FiltersEditor } from './filters';
import { Issues, Labelled } from './labelled';
import {
  controlsOf,
  issuesAt,
  type Control,
  type Field,
  type Filter,
  type Form,
  type Issue,
  type Template,
} from './form';

const zones = Intl.supportedValuesOf('timeZone');

interface ParamsProps {
  readonly form: Form;
  readonly template: Template | undefined;
  readonly fields: readonly Field[];
  readonly issues: readonly Issue[];
  readonly onChange: (params: Form['params']) => void;
}

export function Params({ form, template, fields, issues, onChange }: ParamsProps) {
  const controls = controlsOf(template?.schema);
  const set = (name: string, value: unknown) => {
    const { [name]: _before, ...others } = form.params;
    onChange(value === '' || value === undefined ? others : { ...form.params, [name]: value });
  };
  if (template && controls.length === 0 && Object.keys(template.params).length > 0)
    return <RawParams form={form} onChange={onChange} issues={issuesAt(issues, '/params')} />;
  const own = controls.map(({ name }) => `/${name}`);
  return (
    <>
      {controls.map((control) => (
        <Param
          key={`${form.template} ${control.name}`}
          control={control}
          form={form}
          fields={fields}
          issues={issues}
          onSet={(value) => set(control.name, value)}
        />
      ))}
      <Issues id="params-issues" issues={issuesAt(issues, '/params', own)} />
    </>
  );
}

interface ParamProps {
  readonly control: Control;
  readonly form: Form;
  readonly fields: readonly Field[];
  readonly issues: readonly Issue[];
  readonly onSet: (value: unknown) => void;
}

function Param({ control, form, fields, issues, onSet }: ParamProps) {
  const { name, title, required } = control;
  const pointer = `/params/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const value = form.params[name];
  if (control.control === 'filters')
    return (
      <FiltersEditor
        title={title}
        pointer={pointer}
        filters={Array.isArray(value) ? (value as Filter[]) : []}
        fields={fields}
        issues={issues}
        onChange={onSet}
      />
    );
  return (
    <Labelled
      id={`param-${name}`}
      label={title}
      required={required}
      issues={issuesAt(issues, pointer)}
      {...hintOf(control)}
    >
      {(about) => <ParamControl about={about} control={control} value={value} fields={fields} onSet={onSet} />}
    </Labelled>
  );
}

function hintOf({ minimum, maximum }: Control): { hint?: string } {
  return minimum === undefined && maximum === undefined ? {} : { hint: `${minimum ?? '…'} to ${maximum ?? '…'}` };
}

interface ParamControlProps {
  readonly about: object;
  readonly control: Control;
  readonly value: unknown;
  readonly fields: readonly Field[];
  readonly onSet: (value: unknown) => void;
}

function ParamControl({ about, control, value, fields, onSet }: ParamControlProps) {
  const text = value === undefined ? '' : String(value);
  const unset = control.preset === undefined ? 'Not set' : `Default: ${control.preset}`;
  const choose = (names: readonly { readonly value: string; readonly label: string }[]) => (
    <select {...about} value={text} onChange={(event) => onSet(event.currentTarget.value)}>
      <option value="">{unset}</option>
      {names.map((each) => (
        <option key={each.value} value={each.value}>
          {each.label}
        </option>
      ))}
      {text !== '' && !names.some((each) => each.value === text) && <option value={text}>{text}</option>}
    </select>
  );
  switch (control.control) {
    case 'option':
      return choose(control.options.map((each) => ({ value: each, label: each })));
    case 'field':
      return choose(
        fields
          .filter(({ kind }) => !control.kinds || control.kinds.includes(kind))
          .map(({ name, type }) => ({ value: name, label: `${name} (${type})` })),
      );
    case 'timezone':
      return (
        <>
          <input
            {...about}
            list="zones"
            value={text}
            placeholder="UTC"
            onInput={(event) => onSet(event.currentTarget.value)}
          />
          <datalist id="zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      );
    case 'integer':
      return (
        <input
          {...about}
          inputMode="numeric"
          value={text}
          placeholder={unset}
          onInput={({ currentTarget: { value: typed } }) => onSet(/^-?\d+$/.test(typed) ? Number(typed) : typed)}
        />
      );
    default:
      return (
        <input {...about} value={text} placeholder={unset} onInput={(event) => onSet(event.currentTarget.value)} />
      );
  }
}

/** A template whose schema makes no form can still be edited as JSON. */
function RawParams({
  form,
  onChange,
  issues,
}: {
  form: Form;
  onChange: ParamsProps['onChange'];
  issues: readonly Issue[];
}) {
  return (
    <Labelled
      id="raw-params"
      label="Parameters (JSON)"
      hint="This template declares no form that can be drawn."
      issues={issues}
    >
      {(about) => (
        <textarea
          {...about}
          rows={8}
          spellcheck={false}
          onInput={({ currentTarget: { value } }) => {
            try {
              onChange(JSON.parse(value) as Form['params']);
            } catch {
              // Until the text is valid JSON again, the previous parameters stay in effect.
            }
          }}
        >
          {JSON.stringify(form.params, null, 2)}
        </textarea>
      )}
    </Labelled>
  );
}
