/** Starts services inside a test as their processes do: environment, composition, readiness and an orderly stop. */
import { newSigningKey, publicKeySet } from '@platform/http-server';
import { runService, type Host } from '@platform/service-host';
import { eventually } from '@platform/testing';
import { compose as composeBillingWebhook } from '../../../services/billing-webhook/src/compose';
import { configSchema as billingWebhookConfig } from '../../../services/billing-webhook/src/config';
import { compose as composeLifecycleDelivery } from '../../../services/lifecycle-delivery/src/compose';
import { configSchema as lifecycleDeliveryConfig } from '../../../services/lifecycle-delivery/src/config';
import { compose as composeOperator } from '../../../services/operator/src/compose';
import { configSchema as operatorConfig } from '../../../services/operator/src/config';
import { compose as composeProvisioning } from '../../../services/provisioning/src/compose';
import { configSchema as provisioningConfig } from '../../../services/provisioning/src/config';

type Run = (host: Host) => Promise<number>;

/** Every service that has its own broker user. */
const services = {
  operator: (host) => runService({ name: 'operator', schema: operatorConfig, compose: composeOperator }, host),
  'billing-webhook': (host) =>
    runService({ name: 'billing-webhook', schema: billingWebhookConfig, compose: composeBillingWebhook }, host),
  provisioning: (host) =>
    runService({ name: 'provisioning', schema: provisioningConfig, compose: composeProvisioning }, host),
  'lifecycle-delivery': (host) =>
    runService(
      { name: 'lifecycle-delivery', schema: lifecycleDeliveryConfig, compose: composeLifecycleDelivery },
      host,
    ),
} as const satisfies Readonly<Record<string, Run>>;

export type ServiceName = keyof typeof services;
/** Signs the tokens for these services. */
export const testSigningKey = newSigningKey();

export const serviceNames = Object.keys(services) as ServiceName[];

interface Line {
  readonly level: string;
  readonly message?: string;
  readonly url?: string;
  readonly [field: string]: unknown;
}

interface Readiness {
  readonly status: number;
  /** The names that a check reports as its reason. */
  named(check: string): readonly string[];
}

export interface ComposedService {
  readonly url: string;
  readonly lines: readonly Line[];
  readiness(): Promise<Readiness>;
  /** Waits until the readiness satisfies the condition, and returns the readiness. */
  becomes(description: string, holds: (readiness: Readiness) => boolean): Promise<Readiness>;
  /** Stops the service in order and returns the exit code. */
  stop(): Promise<number>;
}

const testSecrets = {
  JWT_PUBLIC_KEYS: publicKeySet(testSigningKey),
  STRIPE_SECRET_KEY: 'sk_test_none',
  WEBHOOK_SECRETS: 'a-signing-secret-of-tests',
};

/** Starts a service on a broker and a document store. Throws the service's output when it does not become ready. */
export async function startComposed(
  name: ServiceName,
  environment: Readonly<Record<string, string>>,
): Promise<ComposedService> {
  const lines: Line[] = [];
  let signal: (name: string) => void = () => undefined;
  const ended = services[name]({
    environment: {
      PORT: '0',
      PLATFORM_MODE: 'local',
      // No provider listens at this address; the readiness tests never call one.
      STRIPE_API_BASE: 'http://127.0.0.1:1',
      ...testSecrets,
      ...environment,
    },
    interactive: false,
    write: (line) => void lines.push(JSON.parse(line) as Line),
    complain: (text) => void lines.push({ level: 'complaint', message: text }),
    onSignal: (listener) => (signal = listener),
    onFatal: () => undefined,
    exit: () => undefined,
  });
  const ready = eventually(() => lines.find(({ message }) => message === 'ready'), {
    describe: `${name} says that it is ready`,
  });
  const failed = ended.then((code) => {
    throw new Error(`${name} ended with ${code}: ${JSON.stringify(lines.slice(-5))}`);
  });
  failed.catch(() => undefined);
  const { url = '' } = await Promise.race([ready, failed]);
  const readiness = async (): Promise<Readiness> => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, { reason?: string }> };
    const named = (check: string) => (checks[check]?.reason ?? '').split(', ').filter(Boolean).sort();
    return { status: answer.status, named };
  };
  return {
    url,
    lines,
    readiness,
    becomes: (description, holds) =>
      eventually(
        async () => {
          const now = await readiness();
          return holds(now) ? now : undefined;
        },
        { describe: `${name}: ${description}` },
      ),
    stop() {
      signal('SIGTERM');
      return ended;
    },
  };
}
