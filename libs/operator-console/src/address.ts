/**
 * The current screen of the console, as the part of the URL after `#`: a screen, the names in its path, and its
 * filters. A view can be bookmarked, sent to a colleague, and returned to. The token is never in it.
 */

export interface Address {
  /** Path segments, decoded: `['case', 'operation', 'op-1']`. */
  readonly path: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
}

export function readAddress(hash: string): Address {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decode);
  const pairs = query
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=', 2).map(decode));
  // Own members, whatever their name, so that a link with an unusual name changes nothing else.
  return {
    path: segments,
    filters: Object.fromEntries(pairs.filter(([name, value]) => name && value)) as Record<string, string>,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The address as a link; filters without a value are left out. */
export function linkTo(path: readonly string[], filters: Readonly<Record<string, string | undefined>> = {}): string {
  const query = Object.entries(filters)
    .filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return `#/${path.map(encodeURIComponent).join('/')}${query ? `?${query}` : ''}`;
}

export function linkToCase(kind: string, id: string): string {
  return linkTo(['case', kind, id]);
}
