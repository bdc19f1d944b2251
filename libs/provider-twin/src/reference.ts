/**
 * The README's tables of endpoints and objects, generated from the endpoints and the published shapes themselves, so
 * they cannot differ.
 */
import type { Endpoint } from './http/endpoint';

/**
 * One Markdown row per endpoint: method and path, accepted parameters (required ones marked *), parameters refused by
 * name.
 */
export function referenceTable(endpoints: Endpoint[]): string {
  const rows = endpoints.map(({ method, path, params }) => {
    const named = Object.entries(params).filter(([name]) => name !== 'expand');
    const taken = named
      .filter(([, param]) => !param.refused)
      .map(([name, param]) => `${name}${param.required ? '\\*' : ''}`);
    const refused = named.filter(([, param]) => param.refused).map(([name]) => name);
    return `| \`${method} ${path}\` | ${taken.join(', ')} | ${refused.join(', ')} |`;
  });
  return ['| Endpoint | Parameters | Refused by name |', '|---|---|---|', ...rows].join('\n');
}

/** One Markdown row per kind of object: its fields, optional ones marked ?. */
export function objectTable(shapes: Record<string, object>): string {
  const rows = Object.entries(shapes)
    .filter(([name]) => name !== 'error')
    .map(([name, fields]) => `| \`${name}\` | ${Object.keys(fields).join(', ')} |`);
  return ['| Object | Fields |', '|---|---|', ...rows].join('\n');
}
