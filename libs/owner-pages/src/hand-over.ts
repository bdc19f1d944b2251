/**
 * How a product passes its signed-in owner on: by a link to the page with the owner's token after `#`, which no browser
 * sends to a server or in a referrer. It is removed from the address before anything else happens.
 */
export interface HandedOver {
  readonly token?: string;
  /** Which workspace to open first. */
  readonly workspace?: string;
}

/** `#token=…&workspace=acme`; everything else in it is ignored. */
export function handedOver(hash: string): HandedOver {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const [token, workspace] = [given.get('token'), given.get('workspace')];
  return { ...(token && { token }), ...(workspace && { workspace }) };
}

/** The address without the token. */
export function withoutToken(hash: string): string {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  given.delete('token');
  const left = given.toString();
  return left === '' ? '' : `#${left}`;
}
