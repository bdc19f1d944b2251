/**
 * Headers of every answer. The service serves data, so the policy allows nothing; pages set their own
 * Content-Security-Policy. No CORS header is ever sent, so pages of other origins cannot read answers.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};
