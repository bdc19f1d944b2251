/** One labelled control with its issues beside it. */
import type { ComponentChildren } from 'preact';
import { issuesAt, type Issue } from './form';

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly issues: readonly Issue[];
  readonly children: (
    about: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean } & { required?: boolean },
  ) => ComponentChildren;
}

export function Labelled({ id, label, hint, required, issues, children }: LabelledProps) {
  const described = [hint !== undefined && `${id}-hint`, issues.length > 0 && `${id}-issues`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && (
          <span class="quiet" aria-hidden="true">
            {' '}
            required
          </span>
        )}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': issues.length > 0 })}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <Issues id={`${id}-issues`} issues={issues} of={label} />
    </div>
  );
}

/** `of`: the subject of messages that begin with a verb. */
export function Issues({ id, issues, of }: { id: string; issues: readonly Issue[]; of?: string }) {
  if (issues.length === 0) return null;
  return (
    <ul class="issues" id={id}>
      {issues.map(({ pointer, message }) => (
        <li key={`${pointer} ${message}`} data-pointer={pointer}>
          {of !== undefined && /^(is|must|needs|takes|has|cannot) /.test(message) ? `${of} ${message}` : message}
        </li>
      ))}
    </ul>
  );
}

/** A part of a dialog: its name, its label, and a hint. */
export type TextPart<Name extends string> = readonly [name: Name, label: string, hint: string];

/** One line of text for each part; a refusal's issues are shown at the parts that they name. */
export function TextParts<Name extends string>({
  id,
  parts,
  values,
  issues,
  onChange,
}: {
  id: string;
  parts: readonly TextPart<Name>[];
  values: Readonly<Record<Name, string>>;
  issues: readonly Issue[];
  onChange: (name: Name, value: string) => void;
}) {
  return parts.map(([name, label, hint]) => (
    <Labelled key={name} id={`${id}-${name}`} label={label} hint={hint} issues={issuesAt(issues, `/${name}`)}>
      {(about) => (
        <input
          {...about}
          value={values[name]}
          spellcheck={false}
          onInput={(event) => onChange(name, event.currentTarget.value)}
        />
      )}
    </Labelled>
  ));
}
