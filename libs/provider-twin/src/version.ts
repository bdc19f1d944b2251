/**
 * The one API version of the twin. With its type, a new SDK version is a compile error until the twin's objects have
 * been compared with it.
 */
import type Stripe from 'stripe';

export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';
