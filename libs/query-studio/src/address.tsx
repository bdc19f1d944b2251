/** What is open, from the fragment of the address: a query, a new one for a page, a draft, or nothing yet. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { mayLeave } from './unsaved';

export type Address = { readonly key: string; readonly title: string } & (
  | { readonly kind: 'home' }
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'query'; readonly pageRef: string; readonly name: string }
  | { readonly kind: 'new'; readonly pageRef: string }
  | { readonly kind: 'draft'; readonly id: string }
);

export const linkToQuery = (pageRef: string, name: string): string => `#/query${pageRef}@${encodeURIComponent(name)}`;
export const linkToNew = (pageRef: string): string => `#/new${pageRef}`;
export const linkToDraft = (id: string): string => `#/draft/${encodeURIComponent(id)}`;

function readAddress(hash: string): Address {
  const [, kind = '', rest = ''] = /^#\/([a-z]+)(\/.*)$/.exec(hash) ?? [];
  const at = rest.lastIndexOf('@');
  if (kind === 'query' && at > 0) {
    const [pageRef, name] = [rest.slice(0, at), decode(rest.slice(at + 1))];
    return { kind, key: hash, pageRef, name, title: `${name} of ${pageRef}` };
  }
  if (kind === 'new') return { kind, key: hash, pageRef: rest, title: `New query of ${rest}` };
  if (kind === 'draft') return { kind, key: hash, id: decode(rest.slice(1)), title: 'Draft' };
  if (hash.replace(/^#\/?/, '') !== '') return { kind: 'nowhere', key: hash, title: 'Nothing here' };
  return { kind: 'home', key: '', title: 'Queries' };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function useAddress(): Address {
  const [address, setAddress] = useState(readAddress(location.hash));
  useLayoutEffect(() => {
    const changed = ({ oldURL }: HashChangeEvent) => {
      if (mayLeave()) setAddress(readAddress(location.hash));
      else history.replaceState(null, '', oldURL);
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return address;
}
