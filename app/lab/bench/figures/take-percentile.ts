import { must } from '../../../../schema/helpers/assertions.ts'

/** The value below which `share` (0–1) of the values lie: 0.5 is the median. */
export function takePercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return must(
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))],
    'a measured value',
  )
}
