/** A publisher that keeps what it was given and answers as told, for tests of services that announce. */
import type { Publish, RelayedMessage } from './port';

export interface RecordingPublisher {
  readonly publish: Publish;
  /** Every call, repeats included, in order. */
  readonly messages: readonly RelayedMessage[];
  /** Decides the answers from now on; a function that throws stands for a publisher that refuses. */
  answer(decide: (message: RelayedMessage) => 'acknowledged' | 'unknown' | Promise<'acknowledged' | 'unknown'>): void;
}

/** Acknowledges everything until told otherwise. */
export function createRecordingPublisher(): RecordingPublisher {
  const messages: RelayedMessage[] = [];
  let decide: Parameters<RecordingPublisher['answer']>[0] = () => 'acknowledged';
  return {
    messages,
    publish: async (message) => {
      messages.push(message);
      return decide(message);
    },
    answer(next) {
      decide = next;
    },
  };
}
