/** The subscriptions of all clients, found by subject: most name one subject, and only the others are compared. */
import { subjectMatches } from '@platform/messaging/testing';

export interface Subscription<Client> {
  readonly client: Client;
  readonly sid: string;
  readonly subject: string;
  readonly queue: string;
  received: number;
  most: number;
}

const isPattern = (subject: string): boolean => /[*>]/.test(subject);

export class Subscriptions<Client extends object> {
  private readonly exact = new Map<string, Set<Subscription<Client>>>();
  private readonly patterns = new Set<Subscription<Client>>();
  private readonly bySid = new Map<Client, Map<string, Subscription<Client>>>();

  find(client: Client, sid: string): Subscription<Client> | undefined {
    return this.bySid.get(client)?.get(sid);
  }

  add(subscription: Subscription<Client>): void {
    const { client, sid, subject } = subscription;
    const own = this.bySid.get(client) ?? new Map<string, Subscription<Client>>();
    this.bySid.set(client, own.set(sid, subscription));
    if (isPattern(subject)) return void this.patterns.add(subscription);
    const same = this.exact.get(subject) ?? new Set();
    this.exact.set(subject, same.add(subscription));
  }

  remove(subscription: Subscription<Client>): void {
    this.bySid.get(subscription.client)?.delete(subscription.sid);
    this.patterns.delete(subscription);
    const same = this.exact.get(subscription.subject);
    same?.delete(subscription);
    if (same?.size === 0) this.exact.delete(subscription.subject);
  }

  /** The client has left. */
  leave(client: Client): void {
    for (const subscription of [...(this.bySid.get(client)?.values() ?? [])]) this.remove(subscription);
    this.bySid.delete(client);
  }

  matching(subject: string): Subscription<Client>[] {
    return [
      ...(this.exact.get(subject) ?? []),
      ...[...this.patterns].filter((each) => subjectMatches(each.subject, subject)),
    ];
  }
}
