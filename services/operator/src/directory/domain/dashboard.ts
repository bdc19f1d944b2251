/** Addresses in the payment provider's dashboard, for people; test and live objects have different ones. */

/** `none`: a twin, which has no dashboard. */
export type DashboardMode = 'live' | 'test' | 'none';

const dashboard = 'https://dashboard.stripe.com';

/** Derived from the secret key, whose prefix shows the mode; restricted keys have the same prefix. */
export function dashboardModeOf(provider: {
  readonly secretKey: string;
  readonly apiBase?: string | undefined;
}): DashboardMode {
  if (provider.apiBase !== undefined) return 'none';
  return /^(?:sk|rk)_live_/.test(provider.secretKey) ? 'live' : 'test';
}

export type DashboardObject = 'customers' | 'subscriptions' | 'invoices';

/** The page of an object; undefined when there is no dashboard, or no object. */
export function dashboardUrl(mode: DashboardMode, kind: DashboardObject, id: string | undefined): string | undefined {
  if (mode === 'none' || id === undefined) return undefined;
  return `${dashboard}${mode === 'test' ? '/test' : ''}/${kind}/${encodeURIComponent(id)}`;
}
