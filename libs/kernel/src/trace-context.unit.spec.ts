import { continueTrace } from './trace-context';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the trace context', () => {
  it('continues a trace with a span of its own', () => {
    const { traceId, traceparent } = continueTrace(`00-${trace}-00f067aa0ba902b7-01`);
    expect(traceId).toBe(trace);
    expect(traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(traceparent).not.toContain('00f067aa0ba902b7');
  });

  it('keeps that a trace is not sampled, and reads later versions', () => {
    expect(continueTrace(`00-${trace}-00f067aa0ba902b7-00`).traceparent).toMatch(/-00$/);
    expect(continueTrace(`01-${trace}-00f067aa0ba902b7-01-more`).traceId).toBe(trace);
  });

  it.each([
    undefined,
    '',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${trace}`,
    [`00-${trace}-00f067aa0ba902b7-01`],
  ])('begins a trace instead of %s', (header) => {
    const { traceId, traceparent } = continueTrace(header);
    expect(traceId).not.toBe(trace);
    expect(traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    expect(continueTrace(header).traceId).not.toBe(traceId);
  });
});
