/** Markup without injection: a value in a template is escaped as text, unless it is markup made by this module. */

export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | undefined | false | readonly Part[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template of markup; `undefined` and `false` produce no output. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: texts.map((text, at) => (at === 0 ? text : print(parts[at - 1]) + text)).join('') };
}

function print(part: Part): string {
  if (part === undefined || part === false) return '';
  if (Array.isArray(part)) return (part as readonly Part[]).map(print).join('');
  return typeof part === 'object'
    ? (part as Markup).markup
    : String(part).replace(/[&<>"']/g, (character) => entities[character]!);
}

/** Data for a script, inside `<script type="application/json">`; it cannot end the element. */
export function jsonScript(value: unknown): Markup {
  return {
    markup: JSON.stringify(value).replace(
      /[<>\u2028\u2029&]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  };
}
