/**
 * How long a step may take before it is given up. A slow machine is slow and not wrong: what is broken shows by itself,
 * because its container ends or starts again and again, so this bound is far beyond what a busy machine has needed.
 */
export const slowMachineMs = 1_200_000;
