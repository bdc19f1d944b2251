/**
 * A guarded service's answer instead of its data, as a problem document: `workspace_closed` (403) with the reason in
 * `access`, or `access_unknown` (503) when no answer came in time. Every service of the product uses the same texts.
 */
import type { AccessDecision } from './guard';

export interface AccessRefusal {
  readonly status: 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: Readonly<Record<string, unknown>> & { readonly code: 'workspace_closed' | 'access_unknown' };
}

/** The refusals for tables of codes. */
export const accessCodes = {
  workspace_closed: {
    status: 403,
    title: 'Workspace closed',
    message: 'Access to this workspace is closed. `access` gives the reason.',
    nextStep: 'Ask the owner of the workspace or the operators of the platform to open it.',
  },
  access_unknown: {
    status: 503,
    title: 'Access unknown',
    message: 'The answer to whether access to this workspace is open did not come in time.',
    nextStep: 'Try again in a moment.',
  },
} as const;

const type = (code: string): string => `https://errors.workspace-platform.dev/${code}`;

/** Undefined when access is open. */
export function accessRefusal(decision: AccessDecision): AccessRefusal | undefined {
  if (decision.state === 'open') return undefined;
  const code = decision.state === 'closed' ? 'workspace_closed' : 'access_unknown';
  const { status, title, message, nextStep } = accessCodes[code];
  const closed = decision.state === 'closed' ? { access: decision.reason } : {};
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(code === 'access_unknown' && { 'retry-after': '1' }),
    },
    document: { type: type(code), title, status, code, detail: message, nextStep, ...closed },
  };
}
