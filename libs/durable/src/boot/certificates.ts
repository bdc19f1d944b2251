/**
 * When the brokers' certificates expire. They are read from a new handshake: a broker loads renewed files without
 * closing its connections, so an open connection does not show which certificate the next one gets.
 */
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import type { Clock } from '@platform/kernel';
import type { Metrics } from '@platform/service-host';

const dayMs = 86_400_000;
const answerWithinMs = 5_000;
/** Certificates expire on a day, so an hour is often enough. */
export const certificatesLookedAtEveryMs = 3_600_000;

export interface CertificateWatch {
  /** Asks every broker; throws when none answers. Then the previous results are kept. */
  look(): Promise<void>;
  /** The earliest expiry; null before the first answer. */
  endsAt(): Date | null;
}

const authoritiesIn = (bundle: string): X509Certificate[] =>
  (bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  );

/** The server's certificate. An expired one is read too: this connection carries no data and is closed at once. */
function shownBy(server: URL): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: server.hostname, port: Number(server.port || 4222), rejectUnauthorized: false, timeout: answerWithinMs },
      () => {
        const shown = socket.getPeerX509Certificate();
        socket.destroy();
        if (shown) resolve(shown);
        else reject(new Error(`${server.host} shows no certificate`));
      },
    );
    socket.once('timeout', () => socket.destroy(new Error(`${server.host} does not answer`)));
    socket.once('error', reject);
  });
}

/** The earlier expiry of the certificate and of the authority in the bundle that signed it. */
function endOf(shown: X509Certificate, authorities: readonly X509Certificate[]): number {
  const issuers = authorities.filter((authority) => shown.verify(authority.publicKey));
  return Math.min(...[shown, ...issuers].map(({ validTo }) => Date.parse(validTo)));
}

/** `url`: one or more brokers; `ca`: the authorities that this service trusts. */
export function watchCertificates(url: string, ca: string): CertificateWatch {
  const authorities = authoritiesIn(ca);
  const servers = url.split(',').map((server) => new URL(server.trim()));
  let endsAt: Date | null = null;
  return {
    endsAt: () => endsAt,
    async look() {
      const seen = await Promise.allSettled(servers.map(shownBy));
      const ends = seen.flatMap((one) => (one.status === 'fulfilled' ? [endOf(one.value, authorities)] : []));
      if (ends.length === 0) throw new Error(`no broker shows its certificate: ${String(reasonOf(seen))}`);
      endsAt = new Date(Math.min(...ends));
    },
  };
}

const reasonOf = (seen: readonly PromiseSettledResult<unknown>[]): unknown =>
  seen.find((one): one is PromiseRejectedResult => one.status === 'rejected')?.reason;

/** Calculated at each scrape, so the value falls even while no broker answers. Absent until one has answered. */
export function observeCertificates(
  metrics: Pick<Metrics, 'observedGauge'>,
  clock: Pick<Clock, 'now'>,
  watch: Pick<CertificateWatch, 'endsAt'>,
): void {
  metrics.observedGauge(
    {
      name: 'broker_certificate_days_left',
      help: 'Days until the first certificate of the brokers, or its authority, ends; negative after its end.',
    },
    () => {
      const endsAt = watch.endsAt();
      if (endsAt === null) throw new Error('no broker has shown its certificate yet');
      return (endsAt.getTime() - clock.now().getTime()) / dayMs;
    },
  );
}
