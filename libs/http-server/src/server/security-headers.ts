/**
 * Headers of every answer. The service serves data, so the policy admits nothing; pages set their own
 * Content-Security-Policy. No CORS header is ever sent: browsers of other origins get nothing.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};
