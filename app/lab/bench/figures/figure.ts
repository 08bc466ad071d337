/** One measured figure, beside the floor from the same run. */
export interface Figure {
  what: string
  value: number
  unit:
    | 'ms'
    | 'bytes'
    | 'points'
    | 'docs/s'
    | 'requests'
    | 'requests/s'
    | 'kB'
    | 'databases'
    | 'histories'
    | 'messages'
    | 'messages/s'
    | 'MB/s'
    | 'waits'
    | 'keys'
    | '% of a core'
    | 'frames/s'
    | '×'
  /** The machine's value without the product, in the same unit. */
  floors?: readonly { what: string; value: number }[]
  /** The target, in the same unit. */
  target?: { atMost: number } | { atLeast: number }
}

/** One line for a terminal. */
export function describeFigure({ what, value, unit, floors = [], target }: Figure): string {
  const parts = [`${what}: ${round(value)} ${unit}`]
  for (const floor of floors) parts.push(`${floor.what} ${round(floor.value)} ${unit}`)
  if (target) parts.push(describeTarget(value, target))
  return parts.join(' | ')
}

function describeTarget(value: number, target: NonNullable<Figure['target']>): string {
  const isMet = 'atMost' in target ? value <= target.atMost : value >= target.atLeast
  const words = 'atMost' in target ? `≤ ${round(target.atMost)}` : `≥ ${round(target.atLeast)}`
  return `${isMet ? 'reached' : 'MISSED'} ${words}`
}

function round(value: number): string {
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(3)))
}
