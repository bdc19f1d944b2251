/**
 * The one API version that the twin speaks. The type makes a bump of the SDK's pin a compile error until the
 * twin's objects have been compared with the new version.
 */
import type Stripe from 'stripe';

export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';
